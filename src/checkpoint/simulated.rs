//! A disk in memory whose calls fail when told to, and that loses power when told to.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use super::Files;

/// What becomes of bytes that were not synced when the power went.
#[derive(Clone, Copy, Debug)]
pub enum Unsynced {
    Kept,
    Dropped,
    Garbled,
}

impl Unsynced {
    pub const ALL: [Self; 3] = [Self::Kept, Self::Dropped, Self::Garbled];
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan {
    /// The call that fails, from 0.
    pub fails: Option<usize>,
    /// The calls that are made before the power goes.
    pub power: Option<usize>,
    /// Whether syncs do nothing, as a disk that lies.
    pub lies: bool,
}

#[derive(Clone, Debug, Default)]
struct State {
    plan: Plan,
    calls: usize,
    /// What a program sees: bytes now, and those that were synced.
    contents: Vec<(Vec<u8>, Vec<u8>)>,
    names: BTreeMap<PathBuf, usize>,
    /// Names that were synced, and what was done to names since.
    synced: BTreeMap<PathBuf, usize>,
    since: Vec<Change>,
}

#[derive(Clone, Debug)]
enum Change {
    Make(PathBuf, usize),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
}

impl Change {
    fn apply(&self, names: &mut BTreeMap<PathBuf, usize>) {
        match self {
            Self::Make(path, at) => {
                names.insert(path.clone(), *at);
            }
            Self::Rename(from, to) => {
                if let Some(at) = names.remove(from) {
                    names.insert(to.clone(), at);
                }
            }
            Self::Remove(path) => {
                names.remove(path);
            }
        }
    }
}

/// The disk.
#[derive(Debug, Default)]
pub struct Simulated(RefCell<State>);

impl Simulated {
    /// From now on goes wrong as planned, counting calls from 0.
    pub fn plan(&self, plan: Plan) {
        let mut state = self.0.borrow_mut();
        (state.plan, state.calls) = (plan, 0);
    }

    /// Calls since the last plan.
    pub fn calls(&self) -> usize {
        self.0.borrow().calls
    }

    /// The disks that may be found after a loss of power: unsynced bytes as said, and any part of the changes of names
    /// since the last sync of the folder.
    pub fn after_power_loss(&self, unsynced: Unsynced) -> Vec<Self> {
        let state = self.0.borrow();
        (0..1u32 << state.since.len())
            .map(|chosen| {
                let mut names = state.synced.clone();
                let changes = state.since.iter().enumerate();
                changes
                    .filter(|(at, _)| chosen >> at & 1 == 1)
                    .for_each(|(_, change)| change.apply(&mut names));
                let survived = |(now, synced): &(Vec<u8>, Vec<u8>)| match unsynced {
                    _ if now == synced => now.clone(),
                    Unsynced::Kept => now.clone(),
                    Unsynced::Dropped => synced.clone(),
                    Unsynced::Garbled => now.iter().map(|byte| byte ^ 0x5a).collect(),
                };
                let contents: Vec<_> =
                    state.contents.iter().map(survived).map(|bytes| (bytes.clone(), bytes)).collect();
                let synced = names.clone();
                Self(RefCell::new(State { contents, names, synced, ..State::default() }))
            })
            .collect()
    }

    /// Counts a call and says whether it is to fail.
    fn call(&self) -> io::Result<std::cell::RefMut<'_, State>> {
        let mut state = self.0.borrow_mut();
        let number = state.calls;
        state.calls += 1;
        if state.plan.fails == Some(number) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if state.plan.power.is_some_and(|calls| number >= calls) {
            return Err(io::Error::other("no power"));
        }
        Ok(state)
    }
}

impl Files for &Simulated {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.call()?;
        let at = *state.names.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(state.contents[at].0.clone())
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.borrow().names.contains_key(path)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let called = self.call().map(drop);
        let mut state = self.0.borrow_mut();
        if state.plan.power.is_some_and(|calls| state.calls > calls + 1) {
            return called;
        }
        // a write that fails, or is cut by the loss of power, leaves a part
        let written = if called.is_ok() { bytes } else { &bytes[..bytes.len() / 2] }.to_vec();
        if let Some(&at) = state.names.get(path) {
            state.contents[at].0 = written;
        } else {
            let at = state.contents.len();
            state.contents.push((written, Vec::new()));
            state.names.insert(path.into(), at);
            state.since.push(Change::Make(path.into(), at));
        }
        called
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        let at = *state.names.get(path).ok_or(io::ErrorKind::NotFound)?;
        if !state.plan.lies {
            state.contents[at].1 = state.contents[at].0.clone();
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        if !state.names.contains_key(from) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let change = Change::Rename(from.into(), to.into());
        change.apply(&mut state.names);
        state.since.push(change);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        if !state.names.contains_key(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let change = Change::Remove(path.into());
        change.apply(&mut state.names);
        state.since.push(change);
        Ok(())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        if !state.plan.lies {
            state.synced = state.names.clone();
            state.since.clear();
        }
        Ok(())
    }
}
