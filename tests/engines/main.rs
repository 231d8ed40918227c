//! Every method on every engine against the known counts, and every check of the GPU engine seen to fail, on a
//! real adapter: a software one, or that of `FERZ_TEST_ADAPTER`.

#![cfg(feature = "gpu")]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;

mod budget;
mod constrained;
mod faults;
mod invariance;
mod join;
mod placements;
mod support;
mod table;
mod trust;
mod wide;
