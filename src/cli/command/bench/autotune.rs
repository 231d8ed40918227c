//! `ferz bench --autotune`.

use std::{collections::BTreeMap, time::Duration};

use super::Bench;
use crate::{
    CancelToken, Error, MethodChoice,
    bench::{
        Line,
        real::{Monotonic, Real},
        tune::{Subject, Tuned, tune},
    },
    cli::{Console, Failure, console::printable, live::signal::Watch},
    engine::listing::INVOCATIONS,
    report::bench::{Choices, Table},
    tuning::{
        Key, Tunings,
        cache::{self, Measured},
    },
};

/// Time for each device without `--time`.
const TIME: Duration = Duration::from_secs(50);

impl Bench {
    /// Tunes all lines, then keeps what was found.
    pub(super) fn tune(&self, console: &Console) -> Result<(), Failure> {
        if let Some(other) = self.method.iter().find(|method| !METHODS.contains(method)) {
            return Err(Error::usage(
                format!("--method {} has nothing that could be tuned", name(*other)),
                "--autotune takes join and search",
            )
            .into());
        }
        let lines = self.lines()?;
        let cancel = CancelToken::default();
        let watch = Watch::start_meaning(&cancel, *console, "nothing is kept")?;
        let measured = self.tune_all(&lines, &cancel, console);
        watch.finish()?;
        self.keep(measured?, console)
    }

    /// Tunes the lines one by one, and shows each.
    fn tune_all(
        &self,
        lines: &[Line],
        cancel: &CancelToken,
        console: &Console,
    ) -> Result<Vec<(Key, String, Tuned)>, Failure> {
        let time = self.time.unwrap_or(TIME);
        let table = Choices::new(lines);
        self.talk.summary(console, &format!("{}\n{}", Table::legend(lines), Choices::legend()));
        console.result(&table.head())?;
        let mut observe = self.warn_once(console);
        let mut counter = Real {
            backend: self.backend,
            tunings: Tunings::Defaults,
            cancel: cancel.clone(),
            observe: &mut observe,
        };
        let (clock, mut all) = (Monotonic::default(), Vec::new());
        for line in lines {
            let of_device = lines.iter().filter(|other| other.device == line.device).count();
            let time = time / of_device.max(1) as u32;
            let most_lanes = self.most_lanes(line)?;
            let tuned = tune(&Subject { line, most_lanes, time }, &mut counter, &clock)?;
            for finding in &tuned.findings {
                console.result(&table.row(line, finding))?;
            }
            all.push((Key::of(&line.device)?, line.method().to_owned(), tuned));
        }
        Ok(all)
    }

    /// Writes a file for each device.
    fn keep(&self, all: Vec<(Key, String, Tuned)>, console: &Console) -> Result<(), Failure> {
        let mut devices: Vec<(Key, BTreeMap<String, Measured>)> = Vec::new();
        for (key, method, Tuned { tuning, findings }) in all {
            // where time was out, or no value makes a difference on the board, nothing is known
            if findings.iter().all(|finding| finding.gain.is_none()) {
                continue;
            }
            let measured = Measured { tuning, findings };
            match devices.iter_mut().find(|(other, _)| *other == key) {
                Some((_, methods)) => drop(methods.insert(method, measured)),
                None => devices.push((key, BTreeMap::from([(method, measured)]))),
            }
        }
        if devices.is_empty() {
            let time = humantime::format_duration(self.time.unwrap_or(TIME));
            return Err(Error::usage(
                format!("nothing could be measured within {time}, and nothing is kept"),
                "--time gives each device more time: --time 2m",
            )
            .into());
        }
        let folder = cache::required_folder()?;
        for (key, methods) in devices {
            let file = cache::save(&folder, &key, methods)
                .map_err(|(path, source)| Failure::NotKept { path, source })?;
            let what = format!("kept in {}: counts on {} use it from now on", file.display(), key.name);
            self.talk.summary(console, &printable(&what));
        }
        Ok(())
    }

    /// The most invocations of a workgroup that the device of a line takes.
    fn most_lanes(&self, line: &Line) -> Result<u32, Error> {
        if line.index == 0 {
            return Ok(0);
        }
        let listed = crate::devices(self.backend, None)?;
        let limits = listed.get(line.index).map(|listed| listed.limits.as_slice()).unwrap_or_default();
        let most = limits.iter().find(|(name, _)| *name == INVOCATIONS).map_or(0, |&(_, most)| most);
        Ok(most.min(u32::MAX.into()) as u32)
    }
}

/// What can be tuned.
pub(super) const METHODS: [MethodChoice; 2] = [MethodChoice::Join, MethodChoice::Search];

/// The method, as in `--method`.
fn name(method: MethodChoice) -> String {
    clap::ValueEnum::to_possible_value(&method).map_or_else(String::new, |value| value.get_name().to_owned())
}
