//! Properties of placements.
//!
//! | question | module |
//! |---|---|
//! | What is a placement like? | [`classify`], [`properties`] |
//! | Which solution is nearest to it? | [`nearest`] |
//! | Which solutions fill the board together? | [`tile`] |

pub mod classify;
pub mod nearest;
pub mod properties;
pub mod tile;
