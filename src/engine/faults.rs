//! Faults of devices, counted over all sessions of a run.

use crate::Error;

/// How often devices went wrong, and the count went on or was resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Faults {
    /// A device was lost.
    pub lost: u64,
    /// A dispatch did not end in time.
    pub hung: u64,
    /// A buffer came back damaged.
    pub damaged: u64,
    /// Two counts of the same thing differed.
    pub disagreed: u64,
}

impl Faults {
    /// Counts an error, if it is of a device.
    pub const fn note(&mut self, error: &Error) {
        match error {
            Error::DeviceLost { .. } => self.lost += 1,
            Error::DeviceHung { .. } => self.hung += 1,
            Error::Damaged { .. } => self.damaged += 1,
            Error::Disagree { .. } => self.disagreed += 1,
            _ => {}
        }
    }

    /// These and others.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self {
            lost: self.lost + others.lost,
            hung: self.hung + others.hung,
            damaged: self.damaged + others.damaged,
            disagreed: self.disagreed + others.disagreed,
        }
    }

    /// Each with its name.
    #[must_use]
    pub const fn named(&self) -> [(&'static str, u64); 4] {
        let Self { lost, hung, damaged, disagreed } = *self;
        [("lost", lost), ("hung", hung), ("damaged", damaged), ("disagreed", disagreed)]
    }
}
