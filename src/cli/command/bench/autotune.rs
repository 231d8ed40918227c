//! `ferz bench --autotune`.

use std::{io, time::Duration};

use super::Bench;
use crate::{
    CancelToken, Error, MethodChoice, MethodName,
    bench::{
        Series,
        real::{Monotonic, Real},
    },
    cli::{Console, Failure, console::printable, live::signal::Watch},
    engine::tuning::{Tuned, candidates},
    report::bench::{Findings, Table},
    tune::{
        cache,
        sweep::{Sweep, sweep},
    },
};

/// Time for each device without `--time`.
const TIME: Duration = Duration::from_secs(50);

/// What can be tuned.
pub(super) const METHODS: [MethodChoice; 2] = [MethodChoice::Join, MethodChoice::Search];

impl Bench {
    /// Tunes all series one by one, and shows and saves what was found of each.
    pub(super) fn tune(&self, console: &Console) -> Result<(), Failure> {
        if let Some(other) = self.method.iter().find(|method| !METHODS.contains(method)) {
            let name = other.name().map_or("auto", MethodName::into);
            return Err(Error::usage(
                format!("--method {name} has nothing that could be tuned"),
                "--autotune takes join and search",
            )
            .into());
        }
        let series = self.series()?;
        let folder = cache::folder().ok_or_else(|| {
            Error::Internal("a tuning cannot be saved: no cache folder is known, set XDG_CACHE_HOME".into())
        })?;
        let unsaved = |source: io::Error| Failure::SaveTuning { path: folder.clone(), source };
        cache::probe(&folder).map_err(unsaved)?;
        let cancel = CancelToken::default();
        let watch = Watch::start_meaning(&cancel, *console, "what was saved before stays")?;
        let tuned = self.tune_all(&series, &cancel, console, &|tuned| {
            let what = format!("{} on {}", tuned.method, tuned.device);
            let file = cache::save(&folder, tuned).map_err(unsaved)?;
            let saved = format!("{what}: saved in {}, and used by later counts", file.display());
            self.talk.summary(console, &printable(&saved));
            Ok(())
        });
        watch.finish()?;
        tuned
    }

    fn tune_all(
        &self,
        all: &[Series],
        cancel: &CancelToken,
        console: &Console,
        save: &dyn Fn(Tuned) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let time = self.time.unwrap_or(TIME);
        let table = Findings::new(all);
        self.talk.summary(console, &format!("{}\n{}", Table::legend(all), Findings::legend()));
        console.result(&table.head())?;
        let mut observe = self.warn_once(console);
        let mut counter =
            Real { backend: self.backend, tuned: Vec::new(), cancel: cancel.clone(), observe: &mut observe };
        let (clock, mut any) = (Monotonic::default(), false);
        for series in all {
            let info = &series.device.info;
            let of_device = all.iter().filter(|other| other.device.info == *info).count();
            let share = time / of_device.max(1) as u32;
            let choices = candidates(series.method, info);
            let Sweep { n, tuning, findings } = sweep(series, &choices, share, &mut counter, &clock)?;
            for finding in &findings {
                console.result(&table.row(series, n, finding))?;
            }
            if findings.iter().any(|finding| finding.fastest.is_some()) {
                save(Tuned::new(info, series.method, tuning)?)?;
                any = true;
            }
        }
        if any {
            return Ok(());
        }
        let time = humantime::format_duration(time);
        Err(Error::usage(
            format!("nothing could be measured within {time}, and nothing is saved"),
            "--time gives each device more time: --time 2m",
        )
        .into())
    }
}
