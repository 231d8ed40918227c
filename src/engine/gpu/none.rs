//! The GPU engine of a build without it: no adapter is ever found, so nothing here is ever opened.

mod settings;

use std::{convert::Infallible, sync::Arc};

pub use self::settings::Settings;
use super::{
    Engine,
    listing::{Backend, Listed, no_engine},
};
use crate::{Error, method::Method};

/// An adapter, of which there is none.
#[derive(Clone)]
pub struct Adapter {
    /// How it would be listed.
    pub listed: Listed,
    none: Infallible,
}

/// No adapters.
///
/// # Errors
///
/// [`Error::NoDevice`] where a backend is asked for.
pub fn adapters(backend: Option<Backend>) -> Result<Vec<Adapter>, Error> {
    backend.map_or(Ok(Vec::new()), |_| Err(no_engine("`backend`")))
}

/// Opens an adapter, of which there is none.
///
/// # Errors
///
/// [`Error::Usage`] for settings that cannot be used.
pub fn open(adapter: &Adapter, _: &Arc<dyn Method>, settings: Settings) -> Result<Box<dyn Engine>, Error> {
    settings.check()?;
    match adapter.none {}
}
