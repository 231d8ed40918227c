//! Writes checkpoints on a thread of its own, so that no device waits for a disk.

use std::{
    fs, io,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, TryRecvError, channel},
    },
    thread::{self, JoinHandle},
};

use crate::{
    checkpoint::{Checkpoint, Lock, Store, folder_of},
    run::event::Event,
};

/// Writes checkpoints on a thread of its own, while it has the lock.
pub struct Saver {
    /// None once no more is to be saved.
    sender: Option<Sender<Checkpoint>>,
    thread: Option<JoinHandle<()>>,
    results: Receiver<io::Result<()>>,
    /// Saves whose results were not received yet.
    open: usize,
    /// Why the last save failed, if it did: told once, not at every interval of a full disk.
    failing: Option<String>,
    store: Arc<Store>,
}

impl Saver {
    /// Makes the folder, takes the lock and sees that files can be written; `None` where another process has the lock.
    pub fn open(store: &Arc<Store>) -> io::Result<Option<Self>> {
        fs::create_dir_all(folder_of(store.path()))?;
        let mut lock = store.path().as_os_str().to_owned();
        lock.push(".lock");
        let Some(lock) = Lock::take(lock.as_ref())? else { return Ok(None) };
        store.probe()?;
        let (sender, checkpoints) = channel::<Checkpoint>();
        let (reply, results) = channel();
        let own = Arc::clone(store);
        let thread = thread::Builder::new().name("saver".into()).spawn(move || {
            let _lock = lock;
            for checkpoint in checkpoints {
                // nobody listens any more once the run is over
                let _ = reply.send(own.save(&checkpoint));
            }
        })?;
        let (sender, thread) = (Some(sender), Some(thread));
        Ok(Some(Self { sender, thread, results, open: 0, failing: None, store: Arc::clone(store) }))
    }

    /// Whether a save is under way.
    pub const fn is_busy(&self) -> bool {
        self.open > 0
    }

    /// Begins to save.
    pub fn start(&mut self, checkpoint: Checkpoint) {
        let sent = self.sender.as_ref().is_some_and(|sender| sender.send(checkpoint).is_ok());
        self.open += usize::from(sent);
    }

    /// Where it saves.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Tells of saves that failed.
    pub fn receive(&mut self, observe: &mut dyn FnMut(Event)) {
        while self.open > 0 {
            match self.results.try_recv() {
                Ok(result) => {
                    self.received(result, observe);
                }
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => self.open = 0,
            }
        }
    }

    /// Saves, and waits for it; whether it worked.
    pub fn finish(&mut self, checkpoint: Checkpoint, observe: &mut dyn FnMut(Event)) -> bool {
        self.start(checkpoint);
        self.wait(observe)
    }

    /// Waits for the saves under way; whether there was one, and the last of them worked.
    pub fn wait(&mut self, observe: &mut dyn FnMut(Event)) -> bool {
        let mut saved = false;
        while self.open > 0 {
            match self.results.recv() {
                Ok(result) => saved = self.received(result, observe),
                Err(_) => return false,
            }
        }
        saved
    }

    fn received(&mut self, result: io::Result<()>, observe: &mut dyn FnMut(Event)) -> bool {
        self.open -= 1;
        let file = self.store.path().display();
        let why = result.err().map(|error| error.to_string());
        match &why {
            Some(why) if self.failing.as_ref() != Some(why) => observe(Event::Warning(format!(
                "{file} cannot be saved: {why}; the count goes on, and saving is tried again"
            ))),
            None if self.failing.is_some() => observe(Event::Notice(format!("{file} is saved again"))),
            _ => {}
        }
        self.failing = why;
        self.failing.is_none()
    }
}

impl Drop for Saver {
    /// Waits for a save that is under way, so that the lock is free at the end.
    fn drop(&mut self) {
        drop(self.sender.take());
        if let Some(thread) = self.thread.take() {
            // a panic in it was reported where it happened
            let _ = thread.join();
        }
    }
}
