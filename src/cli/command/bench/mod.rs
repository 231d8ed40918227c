//! `ferz bench`.

mod args;
mod autotune;
mod compare;
mod exports;
mod series;

use std::{path::PathBuf, time::Duration};

use clap::Args;

use self::{
    args::{Sizes, Threads},
    exports::Exports,
};
use crate::{
    CancelToken, Error, Event, MethodChoice,
    bench::{
        self, Effort, Step, Stop, Suite, Task,
        case::LARGEST_FIRST,
        real::{Monotonic, Real},
        suite::LARGEST_LADDER,
    },
    cli::{Console, Failure, Talk, flags::tuning::TuneCache, live::signal::Watch},
    engine::{
        cpu,
        listing::{Backend, Wanted},
    },
    report::bench::{Results, Table, ladder},
};

/// Board sizes without `--n`; a series ends where it would take too long.
const SIZES: std::ops::RangeInclusive<u32> = 8..=18;

/// Time of all rows together without `--n`, in about.
const ALL_ROWS: Duration = Duration::from_secs(50);

/// Board size of `--ladder` without `--n`.
const LADDER_SIZE: u32 = 8;

/// Time methods and devices over a range of N, check every count, export and plot
///
/// A time is that of a whole run, setup included; visits a second are those of counting alone. A ratio compares with the
/// first row of its N: below 1 is faster.
#[derive(Args, Debug)]
pub struct Bench {
    /// Board sizes: 8-16, 8,10,12 or both [default: 8-18, each series as far as it goes within a minute for all]
    #[arg(long, value_name = "SIZES", value_parser = args::sizes, allow_hyphen_values = true)]
    n: Option<Sizes>,

    /// auto, cpu, gpu, all, an index of `ferz devices` or part of a name; several with commas between, each timed apart
    ///
    /// auto and all are the CPU and every hardware GPU.
    #[arg(long, default_value = "auto")]
    device: Wanted,

    /// Only adapters of this backend (else of WGPU_BACKEND, else of all)
    #[arg(long, value_enum)]
    backend: Option<Backend>,

    /// Methods, with commas between [default: join,search,bitmask]
    ///
    /// Plain counters run on one thread of the CPU.
    #[arg(long, value_enum, value_delimiter = ',')]
    method: Vec<MethodChoice>,

    /// CPU threads: numbers and all, with commas between [default: all]
    #[arg(long, value_name = "T", value_parser = args::threads, allow_hyphen_values = true)]
    threads: Option<Threads>,

    /// Runs of each row
    #[arg(long, value_name = "R", value_parser = args::runs, conflicts_with = "time", allow_hyphen_values = true)]
    runs: Option<u32>,

    /// Time of the runs of each row, of which there are 3 to 1000 [default: 300ms]; with --autotune that of each device
    /// [default: 50s]
    #[arg(long, value_name = "TIME", value_parser = args::time, allow_hyphen_values = true)]
    time: Option<Duration>,

    /// Runs before those that are timed [default: 1]
    #[arg(long, value_name = "W", value_parser = args::warmup, allow_hyphen_values = true)]
    warmup: Option<u32>,

    /// What to time; first is for N = 1 to 30, all by default
    #[arg(long, value_enum, default_value_t)]
    task: Task,

    /// Also a software adapter, which runs on the CPU
    #[arg(long)]
    allow_software: bool,

    /// Find what is fastest on each device by measurement, and save it for `ferz count` in the cache folder
    ///
    /// The size of workgroups and of units and how much is under way at once, for join and search, on boards that suit the
    /// speed of the device. Another value replaces the default only where it is at least 5 % faster. No count and no
    /// checkpoint depends on it.
    #[arg(long, conflicts_with_all = [
        "n", "runs", "warmup", "task", "ladder", "export_json", "export_csv", "export_markdown", "no_tune_cache",
    ])]
    autotune: bool,

    #[command(flatten)]
    tune_cache: TuneCache,

    /// One N, by all rungs and methods, beside the classic sizes of the search space [default: N = 8]
    #[arg(long, conflicts_with_all = ["method", "threads", "device", "backend", "task"])]
    ladder: bool,

    /// All that was measured as JSON, in the file or - for stdout; renewed after each row, as the others
    #[arg(long, value_name = "FILE")]
    export_json: Option<PathBuf>,

    /// As CSV, a line a row
    #[arg(long, value_name = "FILE")]
    export_csv: Option<PathBuf>,

    /// As a table in Markdown
    #[arg(long, value_name = "FILE")]
    export_markdown: Option<PathBuf>,

    /// Time against N on a logarithmic scale, as a picture: FILE.svg or FILE.png
    #[cfg(feature = "plot")]
    #[arg(long, value_name = "FILE", value_parser = args::picture, conflicts_with_all = ["compare", "autotune"])]
    plot: Option<args::Picture>,

    /// Compare two exports in JSON, B in terms of A, and time nothing
    #[arg(long, value_names = ["A", "B"], num_args = 2, conflicts_with_all = COUNTING)]
    compare: Vec<PathBuf>,

    /// With --compare: exit code 1 if a row of B takes over PCT percent longer than in A, and noise does not explain it
    #[arg(long, value_name = "PCT", requires = "compare", value_parser = args::percent, allow_hyphen_values = true)]
    fail_if_slower: Option<f64>,

    #[command(flatten)]
    talk: Talk,
}

/// Flags of what is timed.
const COUNTING: [&str; 16] = [
    "n",
    "device",
    "backend",
    "method",
    "threads",
    "runs",
    "time",
    "warmup",
    "task",
    "allow_software",
    "autotune",
    "no_tune_cache",
    "ladder",
    "export_json",
    "export_csv",
    "export_markdown",
];

impl Bench {
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        if let [before, after] = &self.compare[..] {
            return compare::run(before, after, self.fail_if_slower, console);
        }
        if self.autotune {
            return self.tune(console);
        }
        let suite = self.suite()?;
        let exports = self.exports()?;
        let cancel = CancelToken::default();
        let watch = Watch::start_meaning(&cancel, *console, "the rows before this one stand")?;
        let mut results = Results::new(suite.task, cpu::cores());
        let timed = self.time_all(&suite, &cancel, &mut results, &exports, console);
        results.complete = timed.is_ok();
        let saved = exports.save(&results).and_then(|()| exports.finish(&results, console));
        watch.finish()?;
        timed.and(saved)
    }

    /// Times the rows, shows them and saves them one by one.
    fn time_all(
        &self,
        suite: &Suite,
        cancel: &CancelToken,
        results: &mut Results,
        exports: &Exports,
        console: &Console,
    ) -> Result<(), Failure> {
        let say = |text: &str| {
            if text.is_empty() {
                Ok(())
            } else if !exports.takes_stdout() {
                console.result(text)
            } else {
                self.talk.summary(console, text);
                Ok(())
            }
        };
        let table = Table::new(suite);
        if !self.ladder {
            self.talk.summary(console, &Table::legend(&suite.series));
            say(&table.head())?;
        }
        let tuned = match suite.task {
            Task::Count => self.tune_cache.load(console),
            Task::First => Vec::new(),
        };
        let mut observe = self.warn_once(console);
        let mut counter =
            Real { backend: self.backend, tuned, cancel: cancel.clone(), observe: &mut observe };
        bench::bench(suite, &mut counter, &Monotonic::default(), &mut |step| -> Result<(), Failure> {
            match step {
                Step::Measured(row) => {
                    let shown = table.row(&row);
                    results.rows.push(*row);
                    exports.save(results)?;
                    if self.ladder { Ok(()) } else { say(&shown) }
                }
                Step::LeftOut(case) => {
                    results.leave_out(&case);
                    Ok(())
                }
            }
        })?;
        if self.ladder {
            say(&ladder(suite.sizes[0], results))?;
        } else {
            self.talk.summary(console, Table::foot(results).trim_end());
        }
        if let Some(left_out) = results.left_out() {
            self.talk.summary(console, &left_out);
        }
        Ok(())
    }

    /// Prints each warning once, not for every run.
    fn warn_once(&self, console: &Console) -> impl FnMut(Event) {
        let (mut warned, talk, console) = (Vec::new(), self.talk, *console);
        move |event| {
            if let Event::Warning(what) = &event
                && !warned.contains(what)
            {
                warned.push(what.clone());
                talk.observe(&console, &event);
            }
        }
    }

    /// The cases to time.
    fn suite(&self) -> Result<Suite, Error> {
        let default = |sizes: std::ops::RangeInclusive<u32>| sizes.collect::<Vec<_>>();
        let sizes = match (&self.n, self.task, self.ladder) {
            (Some(Sizes(sizes)), ..) => sizes.clone(),
            (None, _, true) => vec![LADDER_SIZE],
            (None, Task::First, _) => default(1..=LARGEST_FIRST),
            (None, Task::Count, _) => default(SIZES),
        };
        if self.ladder && (sizes.len() != 1 || sizes[0] > LARGEST_LADDER) {
            return Err(Error::usage(
                format!(
                    "--ladder is for one N up to {LARGEST_LADDER}, as plain backtracking takes long beyond"
                ),
                "give --n one number: --n 10",
            ));
        }
        let series = self.series()?;
        // what is asked for is timed; what is not must not take long
        let limit = (self.n.is_none() && self.task == Task::Count && !self.ladder)
            .then(|| ALL_ROWS / series.len().max(1) as u32);
        let suite = Suite { task: self.task, sizes, series, effort: self.effort(), limit };
        suite.check()?;
        Ok(suite)
    }

    fn effort(&self) -> Effort {
        let mut effort = Effort::default();
        if self.ladder {
            effort = Effort { warmup: 0, stop: Stop::Time(Duration::from_millis(100)) };
        }
        if let Some(warmup) = self.warmup {
            effort.warmup = warmup;
        }
        if let Some(runs) = self.runs {
            effort.stop = Stop::Runs(runs);
        }
        if let Some(time) = self.time {
            effort.stop = Stop::Time(time);
        }
        effort
    }

    fn exports(&self) -> Result<Exports, Failure> {
        let mut exports = Exports::default();
        for (path, format) in [
            (&self.export_json, exports::Format::Json),
            (&self.export_csv, exports::Format::Csv),
            (&self.export_markdown, exports::Format::Markdown),
        ] {
            if let Some(path) = path {
                exports.add(path, format)?;
            }
        }
        #[cfg(feature = "plot")]
        if let Some(args::Picture { path, format }) = &self.plot {
            exports.add(path, *format)?;
        }
        Ok(exports)
    }
}
