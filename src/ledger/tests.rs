use super::*;

fn block(weights: Vec<u32>) -> Block {
    Block { units: vec![[0; 8]; weights.len()], weights, visits: 5, ..Block::default() }
}

fn tally(count: u64) -> Tally {
    Tally { count, visits: 1, bucket: 0 }
}

#[test]
fn weights_and_large_counts_add_up() -> Result<(), Error> {
    let mut ledger = Ledger::default();
    ledger.add(&block(vec![2, 1]), &[tally(u64::MAX), Tally { bucket: 3, ..tally(7) }])?;
    assert_eq!(ledger.count, 2 * u128::from(u64::MAX) + 7);
    assert_eq!(ledger.buckets, [2 * u128::from(u64::MAX), 0, 0, 7]);
    assert_eq!((ledger.visits, ledger.blocks), (7, 1));
    Ok(())
}

#[test]
fn missing_tallies_and_overflow_are_errors_and_change_nothing() {
    let mut ledger = Ledger { count: u128::MAX, blocks: 3, ..Ledger::default() };
    let before = ledger.clone();
    assert!(ledger.add(&block(vec![1, 1]), &[tally(0)]).is_err());
    assert!(ledger.add(&block(vec![1]), &[tally(1)]).is_err());
    assert!(ledger.add(&block(vec![1]), &[Tally { bucket: 17, ..tally(0) }]).is_err());
    assert_eq!(ledger, before);
}

#[test]
fn a_block_is_added_once_and_none_is_left_out() -> Result<(), Error> {
    let numbered = |number| Block { number, ..block(vec![1]) };
    let mut ledger = Ledger::default();
    for number in [1, 64, 0] {
        ledger.add(&numbered(number), &[tally(5)])?;
    }
    assert!(ledger.add(&numbered(64), &[tally(5)]).is_err());
    assert!(ledger.missing(67).eq((2..64).chain([65, 66])) && ledger.missing(2).next().is_none());
    assert!(ledger.check(65).is_err() && ledger.check(3).is_err() && ledger.check(2).is_err());
    for number in 2..64 {
        ledger.add(&numbered(number), &[tally(u64::MAX)])?;
    }
    ledger.check(65)?;
    assert!(ledger.check(64).is_err() && ledger.check(66).is_err());
    Ok(())
}

#[test]
fn what_is_written_down_comes_back_and_nothing_else_does() -> Result<(), String> {
    let mut ledger = Ledger::default();
    for number in [0, 3, 64, 130] {
        let block = Block { number, ..block(vec![8, 3]) };
        let tallies = [Tally { bucket: 2, ..tally(u64::MAX - number) }, tally(number)];
        ledger.add(&block, &tallies).map_err(|error| error.to_string())?;
    }
    let entries = ledger.entries();
    assert_eq!(Ledger::restore(entries.clone(), 131)?, ledger);
    assert!(Ledger::restore(entries.clone(), 130).is_err());
    let changes: [fn(&mut Entries); 9] = [
        |wrong| wrong.count += 1,
        |wrong| wrong.buckets[0] += 1,
        |wrong| wrong.buckets = vec![u128::MAX; 2],
        |wrong| wrong.buckets.resize(MOST_BUCKETS as usize + 1, 0),
        |wrong| wrong.residue ^= 1,
        |wrong| wrong.blocks[1].1 ^= 1,
        |wrong| wrong.blocks[1].0 = 0,
        |wrong| wrong.blocks[3].1 = u32::MAX,
        |wrong| wrong.blocks.truncate(3),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut wrong = entries.clone();
        change(&mut wrong);
        assert!(Ledger::restore(wrong, 131).is_err(), "change {at}");
    }
    Ok(())
}

#[test]
fn a_sum_that_went_wrong_is_seen_by_its_residue() -> Result<(), Error> {
    let mut ledger = Ledger::default();
    ledger.add(&block(vec![2, 3]), &[tally(u64::MAX), tally(1 << 61)])?;
    ledger.check(1)?;
    for bit in 0..128 {
        let wrong = Ledger { count: ledger.count ^ (1 << bit), ..ledger.clone() };
        assert!(wrong.check(1).is_err(), "bit {bit}");
    }
    // as a counter that wrapped at 32 bits, or a block that was added twice
    let wrong = Ledger { count: ledger.count - (182 << 32), ..ledger };
    assert!(wrong.check(1).is_err());
    Ok(())
}

/// A sum with whatever it was resized to: the lists of a ledger do not shrink.
fn sums(ledger: &Ledger) -> (Entries, u64) {
    let mut entries = ledger.entries();
    while entries.buckets.last() == Some(&0) {
        entries.buckets.pop();
    }
    (entries, ledger.blocks)
}

#[test]
fn what_is_taken_out_leaves_what_was_there_before() -> Result<(), Error> {
    let numbered = |number| Block { number, ..block(vec![8, 3]) };
    let tallies =
        |number: u64| [Tally { bucket: number as u32 % 5, ..tally(u64::MAX - number) }, tally(number)];
    let mut ledger = Ledger::default();
    for number in [0, 64, 3] {
        ledger.add(&numbered(number), &tallies(number))?;
    }
    let before = sums(&ledger);
    for number in [130, 4, 1] {
        let wrong = ledger.add(&numbered(number), &tallies(7 * number))?;
        ledger.remove(&wrong)?;
        assert_eq!(sums(&ledger), before);
        assert!(!ledger.has(number) && Ledger::restore(ledger.entries(), 131).is_ok());
        assert!(ledger.remove(&wrong).is_err(), "it is out already");
    }
    // counted anew it counts, and what was wrong of it is not in the sum
    let wrong = ledger.add(&numbered(1), &tallies(9))?;
    ledger.remove(&wrong)?;
    ledger.add(&numbered(1), &tallies(1))?;
    assert!(ledger.remove(&wrong).is_err());
    ledger.add(&numbered(2), &tallies(2))?;
    let mut straight = Ledger::default();
    for number in [0, 1, 2, 3, 64] {
        straight.add(&numbered(number), &tallies(number))?;
    }
    assert_eq!(sums(&ledger), sums(&straight));
    Ok(())
}
