#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::{
    DeviceKind, Error, Square,
    method::{Block, PlanHash, Tally, join::Join},
};

/// A checkpoint of a few blocks, with all that can be in one.
fn sample() -> Checkpoint {
    let problem = Problem::queens(8).unwrap();
    let mut checkpoint = Checkpoint::new(&problem, &Join::new(&problem).unwrap());
    checkpoint.blocks = 19;
    for number in [0, 3, 7, 8, 18] {
        let block = Block { number, units: vec![[0; 8]], weights: vec![8], visits: 3, ..Block::default() };
        let tally = Tally { count: u64::MAX / (number + 1), visits: 5, bucket: number as u32 % 4 };
        checkpoint.ledger.add(&block, &[tally]).unwrap();
    }
    let device = |kind, name: &str, driver: Option<&str>| DeviceInfo {
        kind,
        name: name.into(),
        backend: driver.map(|_| "vulkan".into()),
        driver: driver.map(Into::into),
    };
    Checkpoint {
        sampled: (3, 40),
        sessions: 2,
        elapsed: Duration::from_millis(93_784_056),
        devices: vec![
            (device(DeviceKind::Cpu, "Some Processor (16 threads)", None), 20),
            (device(DeviceKind::Software, "llvmpipe", Some("Mesa 25")), 20),
        ],
        faults: Faults { lost: 1, disagreed: 2, ..Faults::default() },
        saved: SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_000_000),
        ..checkpoint
    }
}

#[test]
fn what_is_written_is_read() {
    let checkpoint = sample();
    let bytes = checkpoint.write();
    assert_eq!(read(&bytes), Ok(checkpoint));
    let text = String::from_utf8_lossy(&bytes);
    for line in [
        "ferz checkpoint 1\nproblem: 8 queens on 8x8\nmethod: join\n",
        "\nblocks: 5 of 19 done\n",
        "\nelapsed: 1day 2h 3m 4s 56ms\nfaults: 1 lost, 0 hung, 0 damaged, 2 disagreed\n",
        "\ndevice: software; vulkan; Mesa 25; 20; llvmpipe\nsaved: 2026-11-30T00:53:20Z\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn every_flipped_bit_and_every_truncation_is_seen() {
    let bytes = sample().write();
    for at in 0..bytes.len() {
        assert!(read(&bytes[..at]).is_err(), "cut at {at}");
        for bit in 0..8 {
            let mut wrong = bytes.clone();
            wrong[at] ^= 1 << bit;
            assert!(read(&wrong).is_err(), "bit {bit} of byte {at}");
        }
    }
    assert!(read(&[&bytes[..], b"\n"].concat()).is_err());
}

/// The checksum is right, the rest is not: as from a faulty memory, or by hand.
#[test]
fn what_does_not_fit_together_is_refused_whatever_the_checksum() {
    let bytes = sample().write();
    let resealed = |from: &str, to: &str| {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap();
        let head = std::str::from_utf8(&bytes[..=end]).unwrap();
        let (head, _) = head.rsplit_once("checksum: ").unwrap();
        assert_eq!(head.matches(from).count(), 1, "{from}");
        let (head, data) = (head.replace(from, to), &bytes[end + 2..]);
        let sum = checksum(head.as_bytes(), data);
        [head.as_bytes(), format!("checksum: {sum}\n\n").as_bytes(), data].concat()
    };
    assert!(read(&resealed("sessions: 2", "sessions: 3")).is_ok(), "the test reseals well");
    let count = format!("count: {}\n", sample().count());
    for (from, to) in [
        (count.as_str(), "count: 92\n"),
        (count.as_str(), "count: 340282366920938463463374607431768211456\n"),
        ("5 of 19 done", "4 of 19 done"),
        ("5 of 19 done", "5 of 18 done"),
        ("5 of 19 done", "5 of 27 done"),
        ("5 of 19 done", "5 of 18446744073709551615 done"),
        ("5 of 19 done", "18446744073709551615 of 19 done"),
        ("8 queens on 8x8", "9 queens on 8x8"),
        ("8 queens on 8x8", "8 queens on 8x8, with z9"),
        ("sessions: 2", "sessions: 02"),
        ("sessions: 2", "sessions: +2"),
        ("sessions: 2", "sessions: 2 "),
        ("sessions: 2\n", ""),
        ("sessions: 2", "sessions: 2\nsessions: 2"),
        ("3 of 40 units", "3 of 40"),
        ("1day 2h", "26h"),
        ("1day 2h", "9999999999999999999years"),
        ("1 lost", "one lost"),
        ("2 disagreed", "2 disagreed, 1 more"),
        ("device: cpu", "device: abacus"),
        ("2026-11-30T", "2026-13-30T"),
        ("residue: ", "residue: 1"),
        ("parts: ", "parts: 1 "),
    ] {
        let result = read(&resealed(from, to));
        assert!(matches!(result, Err(Unreadable::Damaged(_))), "{from} as {to}: {result:?}");
    }
}

#[test]
fn other_files_and_newer_formats_are_told_apart() {
    let bytes = sample().write();
    let rest = &bytes["ferz checkpoint 1".len()..];
    let with = |first: &str| read(&[first.as_bytes(), rest].concat());
    assert_eq!(with("ferz checkpoint 2"), Err(Unreadable::Newer(2)));
    assert_eq!(with("ferz checkpoint 10"), Err(Unreadable::Newer(10)));
    for first in ["ferz checkpoint 0", "ferz checkpoint ", "ferz checkpoint 1.1", "ferz checkpoint \u{e9}"] {
        assert!(matches!(with(first), Err(Unreadable::Damaged(_))), "{first}");
    }
    for foreign in ["", "\n", "hello", "ferz", "FERZ checkpoint 1\n"] {
        assert_eq!(read(foreign.as_bytes()), Err(Unreadable::Foreign), "{foreign}");
    }
}

#[test]
fn problems_are_read_as_they_are_shown() -> Result<(), Error> {
    let square = |name: &str| name.parse::<Square>();
    for made in [
        Problem::queens(32)?,
        Problem::on("6x9".parse()?).placing(0)?,
        Problem::queens(30)?.with_queen(square("ad30")?)?.with_queen(square("a2")?)?,
        Problem::queens(8)?.forbidding(square("c3")?)?,
        Problem::queens(8)?
            .with_queen(square("d1")?)?
            .forbidding(square("c3")?)?
            .forbidding(square("h8")?)?,
    ] {
        assert_eq!(problem(&made.to_string()), Some(made.clone()), "{made}");
    }
    Ok(())
}

#[test]
fn names_of_devices_cannot_break_a_line() {
    let mut checkpoint = sample();
    checkpoint.devices[1].0.name = "a\nchecksum: b; c\u{1b}\u{2028}".into();
    checkpoint.devices[1].0.driver = Some("x; y\n\n".into());
    let read = read(&checkpoint.write()).unwrap();
    assert_eq!(read.devices[1].0.name, "a checksum: b, c \u{2028}");
    assert_eq!(read.devices[1].0.driver.as_deref(), Some("x, y  "));
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(read(&bytes).is_err());
        prop_assert!(read(&[b"ferz checkpoint 1\n", &bytes[..]].concat()).is_err());
    }

    #[test]
    fn changed_bytes_are_seen(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..9)) {
        let bytes = sample().write();
        let mut wrong = bytes.clone();
        for (at, byte) in changes {
            let at = at.index(wrong.len());
            wrong[at] = byte;
        }
        prop_assert!(wrong == bytes || read(&wrong).is_err());
    }

    #[test]
    fn times_come_back(millis in 0u64..1 << 45, saved in 0u64..300_000_000_000) {
        let elapsed = Duration::from_millis(millis);
        let saved = SystemTime::UNIX_EPOCH + Duration::from_secs(saved);
        let checkpoint = Checkpoint { elapsed, saved, ..sample() };
        let read = read(&checkpoint.write()).unwrap();
        prop_assert_eq!((read.elapsed, read.saved), (elapsed, dated(saved)));
    }

    #[test]
    fn hashes_come_back(words in proptest::collection::vec(any::<u64>(), 0..5)) {
        let hash = PlanHash::of("name", words);
        prop_assert_eq!(hash.to_string().parse(), Ok(hash));
    }
}
