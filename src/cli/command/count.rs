//! `ferz count`.

use clap::Args;

use crate::{
    BoardSize, Error, Event, MethodChoice, MethodName, Options, Outcome, Problem, Verify, Workload,
    checkpoint,
    cli::{
        Console, Failure, Talk,
        flags::{self, problem::Puzzle, saving::Keep, tuning::TuneCache, whole},
        live::{
            display::{Display, Form},
            signal::Watch,
            standing::Standing,
        },
    },
    engine::listing::{Backend, Wanted},
    report,
};

/// Count the solutions of the N-queens puzzle
#[derive(Args, Debug)]
pub struct Count {
    #[command(flatten)]
    puzzle: Puzzle<{ BoardSize::MAX }>,

    /// Queens in all [default: as many as the board has ranks or files, whichever are fewer]
    #[arg(long, value_name = "K", value_parser = whole::<u32>("--place", 0..=BoardSize::MAX), allow_negative_numbers = true)]
    place: Option<u32>,

    /// How to count
    #[arg(long, value_enum, default_value_t)]
    method: MethodChoice,

    /// auto, cpu, gpu, all, an index of `ferz devices` or part of a name; several with commas between
    ///
    /// auto is a hardware GPU if there is one and N is worth it, else the CPU.
    #[arg(long, default_value = "auto")]
    device: Wanted,

    /// Only adapters of this backend (else of WGPU_BACKEND, else of all)
    #[arg(long, value_enum)]
    backend: Option<Backend>,

    /// CPU threads [default: one a core]
    #[arg(long, value_name = "T", value_parser = flags::threads, allow_negative_numbers = true)]
    threads: Option<usize>,

    /// Rows below the border that search expands into prefixes [default: chosen, -v says it]
    #[arg(long, value_name = "D", value_parser = whole::<u32>("--depth", 0..=BoardSize::MAX - 1), allow_negative_numbers = true)]
    depth: Option<u32>,

    /// Also the counts by symmetry class and of fundamental solutions: in the JSON document, else on stderr
    #[arg(long)]
    classes: bool,

    /// What to check
    #[arg(long, value_enum, default_value_t)]
    verify: Verify,

    /// No count: the visits, time and memory that it would take, and the number of solutions, from a random sample
    #[arg(long)]
    estimate: bool,

    /// The sample that is drawn; the same visits and solutions for the same seed [default: at random]
    #[arg(long, value_name = "S", value_parser = whole::<u64>("--seed", 0..=u32::MAX), requires = "estimate", allow_negative_numbers = true)]
    seed: Option<u64>,

    /// How long one dispatch of a GPU should take
    #[arg(long, value_enum, default_value_t)]
    workload: Workload,

    #[command(flatten)]
    tune_cache: TuneCache,

    #[command(flatten)]
    keep: Keep,

    /// One JSON document on stdout instead of the number
    #[arg(long)]
    json: bool,

    /// How progress is shown on stderr
    #[arg(long, value_enum, default_value_t)]
    progress: Form,

    #[command(flatten)]
    talk: Talk,
}

impl Count {
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        let problem = self.puzzle.problem()?;
        let problem = if let Some(place) = self.place { problem.placing(place)? } else { problem };
        self.talk.contradiction(console, &problem);
        let options = self.options(console);
        let display = Display::start(self.progress, self.talk.quiet, *console)?;
        if self.estimate {
            return self.estimate(&problem, &options, console);
        }
        let outcome = self.count(&problem, &options, display, console)?;
        self.deliver(&outcome, console)
    }

    /// Whether the method is a plain counter, which cannot be cancelled or saved, and has nothing to tune.
    fn is_plain(&self) -> bool {
        self.method.name().is_some_and(MethodName::is_plain)
    }

    fn options(&self, console: &Console) -> Options {
        Options {
            method: self.method,
            device: self.device.clone(),
            backend: self.backend,
            threads: self.threads,
            depth: self.depth,
            classes: self.classes,
            verify: self.verify,
            workload: self.workload,
            tuned: if self.is_plain() { Vec::new() } else { self.tune_cache.load(console) },
            saving: self.keep.saving(),
            stop_after: self.keep.stop_after,
            // told by the document only
            gpu_time: self.json,
            ..Options::default()
        }
    }

    fn estimate(&self, problem: &Problem, options: &Options, console: &Console) -> Result<(), Failure> {
        let watch = Watch::start(&options.cancel, *console)?;
        let observe = &mut |event| self.talk.observe(console, &event);
        let estimated = crate::estimate(problem, options, self.seed, observe);
        watch.finish()?;
        let estimate = estimated?;
        console.result(&if self.json {
            report::json::estimate(&estimate)
        } else {
            report::text::estimate(&estimate)
        })
    }

    /// Counts; where that ends early, says what is saved and how to go on.
    fn count(
        &self,
        problem: &Problem,
        options: &Options,
        display: Display,
        console: &Console,
    ) -> Result<Outcome, Failure> {
        let standing = Standing::default();
        let watch = if self.is_plain() {
            Watch::start(&options.cancel, *console)?
        } else {
            Watch::start_saving(&options.cancel, *console, standing.clone())?
        };
        let counted = crate::count(problem, options, &mut |event| {
            display.note(&event);
            standing.note(&event);
            self.talk.observe(console, &event);
        });
        drop(display);
        let stopped = watch.finish();
        match &counted {
            Err(error @ Error::Stopped(_)) => console.line(&format!("{error}: no count is given")),
            // the signal came when all was counted
            Ok(outcome) if stopped.is_err() => {
                if let Some(file) = outcome.checkpoints.first().cloned() {
                    standing.note(&Event::Saved { file, done: outcome.blocks, blocks: outcome.blocks });
                }
            }
            _ => {}
        }
        let ended_early = stopped.is_err() || matches!(counted, Err(Error::Stopped(_)));
        if standing.is_saved() || ended_early && !self.is_plain() {
            standing.tell(*console);
        }
        stopped?;
        Ok(counted?)
    }

    /// Writes the result, and only then removes what was saved.
    fn deliver(&self, outcome: &Outcome, console: &Console) -> Result<(), Failure> {
        let result = if self.json { report::json::outcome(outcome) } else { report::text::outcome(outcome) };
        console.result(&result).inspect_err(|_| {
            for file in &outcome.checkpoints {
                console.line(&format!("the count is kept in {}: run the command again", file.display()));
            }
        })?;
        for file in &outcome.checkpoints {
            if let Err(error) = checkpoint::discard(file) {
                console.warning(&error.to_string());
            }
        }
        if let (false, Some(classes)) = (self.json, &outcome.classes) {
            self.talk.summary(console, &report::text::classes(classes));
        }
        for line in report::text::dispatches(outcome) {
            self.talk.observe(console, &Event::Detail(line));
        }
        self.talk.summary(console, &report::text::summary(outcome));
        Ok(())
    }
}
