use super::*;
use crate::BoardSize;

struct Tuples {
    shape: Shape,
    even: Arc<Sets>,
    odd: Arc<Sets>,
}

impl Tuples {
    fn of(n: u32) -> Self {
        let shape = Shape::of(BoardSize::new(n).unwrap_or_else(|error| panic!("{error}")));
        Self { shape, even: Arc::new(Sets::new(shape.even)), odd: Arc::new(Sets::new(shape.odd)) }
    }

    fn each(&self, mut act: impl FnMut(&Symmetry, Tuple)) {
        for k in self.shape.ks() {
            let Some(symmetry) = Symmetry::new(self.shape, k, &self.even, &self.odd) else { continue };
            let (even, odd) = (self.even.of_size(k), self.odd.of_size(self.shape.odd_size(k)));
            for &re in even {
                for &ro in odd {
                    for &ce in even {
                        odd.iter().for_each(|&co| act(&symmetry, [re, ro, ce, co]));
                    }
                }
            }
        }
    }
}

/// The images of a tuple under the symmetries that keep k, with repetitions, as they follow from reversing,
/// exchanging and complementing rows and columns; and how many images with another k there are for each.
fn images(tuples: &Tuples, [re, ro, ce, co]: Tuple) -> (Vec<Tuple>, u32) {
    let (e, o) = (|x| tuples.even.rev(x), |x| tuples.odd.rev(x));
    if tuples.shape.n % 2 == 1 {
        let mut all = Vec::new();
        for [a, b, c, d] in [[re, ro, ce, co], [ce, co, re, ro]] {
            all.extend([[a, b, c, d], [e(a), o(b), c, d], [a, b, e(c), o(d)], [e(a), o(b), e(c), o(d)]]);
        }
        return (all, 1);
    }
    // rows reversed: even rows become odd ones; the queens on EE are those that were on OE: rows ~Ro, columns ~Ce
    let all = tuples.shape.all_odd();
    let half_turn = |[a, b, c, d]: Tuple| [o(b), o(a), o(d), o(c)];
    let transpose = |[a, b, c, d]: Tuple| [c, d, a, b];
    let mirror = |[a, b, c, d]: Tuple| [o(all & !b), o(all & !a), all & !c, all & !d];
    let mut found = vec![[re, ro, ce, co]];
    found.push(half_turn(found[0]));
    found.extend(found.clone().into_iter().map(transpose));
    let balanced = 2 * re.count_ones() == tuples.shape.odd;
    if balanced {
        found.extend(found.clone().into_iter().map(mirror));
    }
    (found, if balanced { 1 } else { 2 })
}

/// The weights add up to the number of all tuples, and in each orbit to its size.
#[test]
fn each_orbit_counts_once() {
    for n in 1..=13 {
        let tuples = Tuples::of(n);
        let mut sum = 0;
        tuples.each(|symmetry, tuple @ [re, ro, ce, co]| {
            sum += u64::from(symmetry.weight(re, ro, ce, co));
            if n <= 11 {
                let (mut orbit, factor) = images(&tuples, tuple);
                orbit.sort_unstable();
                orbit.dedup();
                let total: u32 = orbit.iter().map(|t| symmetry.weight(t[0], t[1], t[2], t[3])).sum();
                assert_eq!(total, orbit.len() as u32 * factor, "N = {n} {tuple:?}");
            }
        });
        let size = |k| tuples.even.of_size(k).len() * tuples.odd.of_size(tuples.shape.odd_size(k)).len();
        assert_eq!(sum, tuples.shape.ks().map(|k| (size(k) as u64).pow(2)).sum::<u64>(), "N = {n}");
    }
}

/// The short form of the weights of a unit agrees with the weights one by one.
#[test]
fn intervals_are_exact() {
    for n in 1..=13 {
        Tuples::of(n).each(|symmetry, [re, ro, ce, co]| {
            let weight = symmetry.weight(re, ro, ce, co);
            match symmetry.unit(re, ro, ce) {
                Weights::Skip => assert_eq!(weight, 0),
                Weights::Each => {}
                Weights::Range(chosen) => {
                    let expected = if chosen.contains(&co) { COMMON } else { 0 };
                    assert_eq!(weight, expected, "N = {n} {:?}", [re, ro, ce, co]);
                }
            }
            assert!(weight == 0 || symmetry.rows_visited(re, ro));
        });
    }
}

/// The cover is as small as it is said to be.
#[test]
fn a_small_share_of_the_units_is_visited() {
    for (n, k, most) in [(21, 5, 0.135), (22, 4, 0.305), (22, 5, 0.305), (24, 6, 0.1520)] {
        let tuples = Tuples::of(n);
        let symmetry = Symmetry::new(tuples.shape, k, &tuples.even, &tuples.odd)
            .unwrap_or_else(|| panic!("k = {k} is run for N = {n}"));
        let (even, odd) = (tuples.even.of_size(k), tuples.odd.of_size(tuples.shape.odd_size(k)));
        let (mut visited, mut each, mut all) = (0u32, 0u32, 0u32);
        for &re in even.iter().step_by(11) {
            for &ro in odd.iter().step_by(7) {
                for &ce in even.iter().step_by(5) {
                    let weights = symmetry.unit(re, ro, ce);
                    visited += u32::from(weights != Weights::Skip);
                    each += u32::from(weights == Weights::Each);
                    all += 1;
                }
            }
        }
        let share = f64::from(visited) / f64::from(all);
        assert!(share < most, "N = {n}, k = {k}: {share}");
        assert!(f64::from(each) < 0.02 * f64::from(all), "N = {n}, k = {k}: {each} of {all}");
    }
}
