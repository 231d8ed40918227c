//! One dispatch: how large it may be and should be, the words that go to the device, the bytes that come back.

pub mod decode;
pub(super) mod layout;
pub mod pace;
pub mod shape;
pub mod transport;
