//! The bytes of a checkpoint: lines for people, then data.
//!
//! ```text
//! ferz checkpoint 1
//! problem: 20 queens on 20x20
//! method: join
//! cut: whole
//! plan: 1f0c..., 64 digits
//! blocks: 1500 of 3120 done
//! count: 19023456789
//! residue: 19023456789 modulo 2^61 - 1
//! parts: 0 4356 ...
//! visits: 11000234567
//! sampled: 31 of 240112 units
//! sessions: 2
//! elapsed: 1h 2m 3s 45ms
//! faults: 0 lost, 0 hung, 0 damaged, 0 disagreed
//! device: cpu; -; -; 11000234567; Some Processor (16 threads)
//! saved: 2026-11-30T12:00:00Z
//! writer: ferz 0.1.0
//! checksum: 64 digits
//!
//! ```
//!
//! `device` comes once a device: kind, backend, driver, visits, name. After the empty line: one bit a block, from the lowest
//! of the first byte on, set where it is done; then for each block that is done, in order, its own sum modulo 2^32 - 5 as
//! four bytes, lowest first. The checksum is BLAKE3, of all that stands before and after its line.
//!
//! A reader takes only what it would have written itself, so no bit of a file can differ unseen. The number of the first
//! line grows with any change of what is below it.

use std::{
    fmt::{Display, Write as _},
    str::FromStr,
    time::{Duration, SystemTime},
};

use super::Checkpoint;
use crate::{
    Problem,
    engine::{DeviceInfo, Faults},
    ledger::{Entries, Ledger},
};

const MAGIC: &str = "ferz checkpoint ";

/// Whether bytes may be the begin of a checkpoint, as a save that was cut short leaves them: a file may come back from a
/// loss of power empty, in part or as zeros.
pub fn is_begun(bytes: &[u8]) -> bool {
    let zeros = bytes.iter().all(|&byte| byte == 0);
    zeros || bytes.starts_with(MAGIC.as_bytes()) || MAGIC.as_bytes().starts_with(bytes)
}
const VERSION: u64 = 1;

/// Why bytes are no checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// Some other file.
    #[error("is not a checkpoint of ferz")]
    Foreign,
    /// Of a later version.
    #[error("has the format {0} of a newer ferz: this one reads format {VERSION}")]
    Newer(u64),
    /// Once a checkpoint.
    #[error("is damaged: {0}")]
    Damaged(String),
}

fn damaged(what: impl Into<String>) -> Unreadable {
    Unreadable::Damaged(what.into())
}

/// The bytes of a checkpoint.
pub fn write(checkpoint: &Checkpoint) -> Vec<u8> {
    let Checkpoint { problem, method, cut, plan, blocks, ledger, sampled, .. } = checkpoint;
    let entries = ledger.entries();
    let mut head = format!("{MAGIC}{VERSION}\n");
    let mut line = |key: &str, value: &dyn Display| {
        // a String takes any text
        let _ = writeln!(head, "{key}: {value}");
    };
    line("problem", problem);
    line("method", method);
    line("cut", cut);
    line("plan", plan);
    line("blocks", &format_args!("{} of {blocks} done", entries.blocks.len()));
    line("count", &entries.count);
    line("residue", &format_args!("{} modulo 2^61 - 1", entries.residue));
    line("parts", &words(&entries.buckets));
    line("visits", &entries.visits);
    line("sampled", &format_args!("{} of {} units", sampled.0, sampled.1));
    line("sessions", &checkpoint.sessions);
    line("elapsed", &humantime::format_duration(whole(checkpoint.elapsed)));
    line("faults", &checkpoint.faults.named().map(|(name, times)| format!("{times} {name}")).join(", "));
    for (device, visits) in &checkpoint.devices {
        let or_dash = |text: &Option<String>| text.as_deref().map_or_else(|| "-".into(), plain);
        let [backend, driver] = [or_dash(&device.backend), or_dash(&device.driver)];
        let name = plain(&device.name);
        line("device", &format_args!("{}; {backend}; {driver}; {visits}; {name}", device.kind));
    }
    line("saved", &humantime::format_rfc3339_seconds(dated(checkpoint.saved)));
    line("writer", &plain(&checkpoint.writer));

    let mut data = vec![0u8; blocks.div_ceil(8) as usize];
    for &(number, _) in &entries.blocks {
        data[(number / 8) as usize] |= 1 << (number % 8);
    }
    data.extend(entries.blocks.iter().flat_map(|&(_, own)| own.to_le_bytes()));

    let sum = checksum(head.as_bytes(), &data);
    [head.as_bytes(), format!("checksum: {sum}\n\n").as_bytes(), &data].concat()
}

/// Reads what [`write`] wrote.
pub fn read(bytes: &[u8]) -> Result<Checkpoint, Unreadable> {
    let rest = bytes.strip_prefix(MAGIC.as_bytes()).ok_or(Unreadable::Foreign)?;
    let version = rest.split(|&byte| byte == b'\n').next().and_then(|line| std::str::from_utf8(line).ok());
    match version.and_then(|version| version.parse().ok()) {
        Some(VERSION) => {}
        Some(newer) if newer > VERSION => return Err(Unreadable::Newer(newer)),
        _ => return Err(damaged("its first line has no version")),
    }
    let end = bytes.windows(2).position(|pair| pair == b"\n\n").ok_or_else(|| damaged("it ends too soon"))?;
    let (head, data) = (&bytes[..=end], &bytes[end + 2..]);
    let head = std::str::from_utf8(head).map_err(|_| damaged("its lines are no text"))?;
    let (head, sum) =
        head.trim_end_matches('\n').rsplit_once("checksum: ").ok_or_else(|| damaged("it has no checksum"))?;
    if checksum(head.as_bytes(), data) != sum {
        return Err(damaged("its checksum is of other bytes"));
    }
    let checkpoint = Lines(head.lines().skip(1).peekable()).checkpoint(data)?;
    // numbers in another form, extra lines: not written by us
    if write(&checkpoint) != bytes {
        return Err(damaged("it is not written as ferz writes"));
    }
    Ok(checkpoint)
}

fn checksum(head: &[u8], data: &[u8]) -> String {
    blake3::Hasher::new().update(head).update(data).finalize().to_hex().to_string()
}

/// The lines that are still to be read.
struct Lines<'a>(std::iter::Peekable<std::iter::Skip<std::str::Lines<'a>>>);

impl<'a> Lines<'a> {
    /// The value of the next line, which must have this key.
    fn text(&mut self, key: &str) -> Result<&'a str, Unreadable> {
        let line = self.0.next().unwrap_or_default();
        let value = line.strip_prefix(key).and_then(|line| line.strip_prefix(": "));
        value.ok_or_else(|| damaged(format!("it has no line '{key}' where it should be")))
    }

    /// The next line, read by `read`.
    fn value<T>(&mut self, key: &str, read: impl FnOnce(&'a str) -> Option<T>) -> Result<T, Unreadable> {
        let text = self.text(key)?;
        read(text).ok_or_else(|| damaged(format!("its line '{key}' cannot be read")))
    }

    fn checkpoint(mut self, data: &[u8]) -> Result<Checkpoint, Unreadable> {
        let problem = self.value("problem", problem)?;
        let method = self.value("method", parsed)?;
        let cut = self.value("cut", parsed)?;
        let plan = self.value("plan", parsed)?;
        let (done, blocks) = self.value("blocks", |text| pair(text.strip_suffix(" done")?))?;
        let count = self.value("count", parsed)?;
        let residue = self.value("residue", |text| parsed(text.strip_suffix(" modulo 2^61 - 1")?))?;
        let buckets = self
            .value("parts", |text| text.split(' ').filter(|word| !word.is_empty()).map(parsed).collect())?;
        let visits = self.value("visits", parsed)?;
        let sampled = self.value("sampled", |text| pair(text.strip_suffix(" units")?))?;
        let sessions = self.value("sessions", parsed)?;
        // so that no sum of times overflows
        let elapsed = self.value("elapsed", |text| {
            humantime::parse_duration(text).ok().filter(|elapsed| elapsed.as_secs() < 1 << 40)
        })?;
        let faults = self.value("faults", faults)?;
        let mut devices = Vec::new();
        while self.0.next_if(|line| line.starts_with("device: ")).is_some_and(|line| {
            let device = device(&line["device: ".len()..]);
            devices.extend(device.clone());
            device.is_some()
        }) {}
        let saved = self.value("saved", |text| humantime::parse_rfc3339(text).ok())?;
        let writer = self.text("writer")?.to_owned();
        let entries = Entries { count, buckets, visits, residue, blocks: blocks_of(data, blocks, done)? };
        let ledger = Ledger::restore(entries, blocks).map_err(damaged)?;
        Ok(Checkpoint {
            problem,
            method,
            cut,
            plan,
            blocks,
            ledger,
            sampled,
            sessions,
            elapsed,
            devices,
            faults,
            saved,
            writer,
        })
    }
}

/// The blocks that are done, from the data.
fn blocks_of(data: &[u8], blocks: u64, done: u64) -> Result<Vec<(u64, u32)>, Unreadable> {
    // nothing is allocated by what the file says, only by what it has
    let bits = blocks.div_ceil(8);
    if bits.checked_add(done.saturating_mul(4)) != Some(data.len() as u64) {
        return Err(damaged("its length is not that of its blocks"));
    }
    let (bits, residues) = data.split_at(bits as usize);
    let set = bits
        .iter()
        .zip(0u64..)
        .flat_map(|(&byte, at)| (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| 8 * at + bit));
    let numbers: Vec<u64> = set.collect();
    if numbers.len() as u64 != done {
        return Err(damaged("it has other blocks than it says"));
    }
    let residues =
        residues.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    Ok(numbers.into_iter().zip(residues).collect())
}

fn parsed<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

/// `3 of 5`.
fn pair(text: &str) -> Option<(u64, u64)> {
    let (part, whole) = text.split_once(" of ")?;
    Some((parsed(part)?, parsed(whole)?))
}

/// A problem as it is shown: `8 queens on 8x8, with d1, none on c3 e5`.
fn problem(text: &str) -> Option<Problem> {
    let mut parts = text.split(", ");
    let (place, board) = parts.next()?.split_once(" queens on ")?;
    let mut problem = Problem::on(parsed(board)?).placing(parsed(place)?).ok()?;
    for part in parts {
        let (given, squares) = match part.strip_prefix("with ") {
            Some(squares) => (true, squares),
            None => (false, part.strip_prefix("none on ")?),
        };
        for square in squares.split(' ') {
            let square = parsed(square)?;
            problem = if given { problem.with_queen(square) } else { problem.forbidding(square) }.ok()?;
        }
    }
    Some(problem)
}

fn faults(text: &str) -> Option<Faults> {
    let mut times = [0; 4];
    let mut words = text.split(", ");
    for (times, (name, _)) in times.iter_mut().zip(Faults::default().named()) {
        *times = parsed(words.next()?.strip_suffix(name)?.trim_end())?;
    }
    let [lost, hung, damaged, disagreed] = times;
    Some(Faults { lost, hung, damaged, disagreed })
}

fn device(text: &str) -> Option<(DeviceInfo, u128)> {
    let mut fields = text.splitn(5, "; ");
    let kind = parsed(fields.next()?)?;
    let mut or_none = || fields.next().map(|text| (text != "-").then(|| text.to_owned()));
    let (backend, driver) = (or_none()?, or_none()?);
    let visits = parsed(fields.next()?)?;
    let name = fields.next()?.to_owned();
    Some((DeviceInfo { kind, name, backend, driver }, visits))
}

fn words(numbers: &[u128]) -> String {
    numbers.iter().map(u128::to_string).collect::<Vec<_>>().join(" ")
}

/// A text that fits in a field of a line.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() {
                ' '
            } else if c == ';' {
                ','
            } else {
                c
            }
        })
        .collect()
}

/// Whole milliseconds.
fn whole(time: Duration) -> Duration {
    Duration::from_secs(time.as_secs()) + Duration::from_millis(time.subsec_millis().into())
}

/// Whole seconds of the years that can be written, 1970 to 9999.
fn dated(time: SystemTime) -> SystemTime {
    const LAST: u64 = 253_402_300_799;
    let since = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs().min(LAST));
    SystemTime::UNIX_EPOCH + Duration::from_secs(since)
}

#[cfg(test)]
mod tests;
