//! The compile time of `#[workflow]`, beside the same plain async functions.

mod compiler;
mod source;

use std::time::{Duration, Instant};

use anyhow::Result;

pub(crate) use self::compiler::Profile;
use self::compiler::{Compiler, Taken};
use self::source::{Awaited, Flavor, Outcome};
use crate::report::{Figure, Target, Unit};
use crate::session::Session;

/// Awaits of the one long function.
const AWAITS: [usize; 4] = [10, 100, 300, 1_000];

/// Up to so many awaits rustc may take [`BOUND`] times as long as for the plain function.
const BOUNDED_AWAITS: usize = 300;

/// See [`BOUNDED_AWAITS`].
const BOUND: f64 = 1.5;

/// Small functions in one crate.
const SMALL: usize = 200;

/// How often each program is compiled at least; the median counts.
const MIN_TRIES: usize = 3;

/// How often at most.
const MAX_TRIES: usize = 15;

/// For how long it is compiled again once it has been often enough.
const LONG_ENOUGH: Duration = Duration::from_secs(8);

/// When a compilation is given up.
const LIMIT: Duration = Duration::from_secs(180);

/// The median of a program in both flavors; `None` where it took too long.
#[derive(Clone, Copy, Debug)]
struct Pair {
    piton: Option<Taken>,
    plain: Option<Taken>,
}

/// Only the debug profile, as it is by itself, has targets.
pub(crate) async fn run(session: &mut Session, profile: Profile) -> Result<()> {
    let compiler = Compiler::prepare(profile).await?;
    let bound = (profile == Profile::Debug).then_some(BOUND);
    let pair = compile_both(&compiler, |flavor| source::activities(flavor, Outcome::Value)).await?;
    session.report.add(pair.figure("activities only", None));
    let mut pairs = Vec::new();
    for awaits in AWAITS {
        let source = |flavor| source::straight(flavor, Awaited::Here, Outcome::Value, awaits);
        let pair = compile_both(&compiler, source).await?;
        let bound = bound.filter(|_| awaits <= BOUNDED_AWAITS);
        let name = format!("{awaits} awaits, {} live locals", source::LIVE);
        session.report.add(pair.figure(&name, bound));
        pairs.push((awaits, pair));
        let expansion = compiler.expansion(&source(Flavor::Piton), "straight").await?;
        session.report.add(expansion_size(awaits, &expansion));
    }
    for awaits in AWAITS.into_iter().filter(|awaits| *awaits <= BOUNDED_AWAITS) {
        let source = |flavor| source::straight(flavor, Awaited::Here, Outcome::Result, awaits);
        let pair = compile_both(&compiler, source).await?;
        session.report.add(pair.figure(&format!("{awaits} awaits, each with a `?`"), bound));
    }
    for step in pairs.windows(2) {
        let ((fewer, from), (more, to)) = (step[0], step[1]);
        let name = format!("growth from {fewer} to {more} awaits");
        if let Some(figure) = growth(&name, from, to) {
            session.report.add(figure);
        }
    }
    let pair =
        compile_both(&compiler, |flavor| source::small(flavor, Awaited::Here, SMALL)).await?;
    session.report.add(pair.figure(&format!("{SMALL} small functions"), bound));
    built_before(&compiler, session, bound).await
}

/// The same functions without what they await, which is in a crate that was built before: what the
/// workflows themselves cost.
async fn built_before(
    compiler: &Compiler,
    session: &mut Session,
    bound: Option<f64>,
) -> Result<()> {
    for (outcome, what) in [(Outcome::Result, "awaits with a `?`"), (Outcome::Value, "awaits")] {
        for flavor in [Flavor::Piton, Flavor::Plain] {
            compiler.build(flavor.library(), &source::activities(flavor, outcome)).await?;
        }
        for awaits in AWAITS.into_iter().filter(|awaits| *awaits <= BOUNDED_AWAITS) {
            let source = |flavor| source::straight(flavor, Awaited::BuiltBefore, outcome, awaits);
            let pair = compile_both(compiler, source).await?;
            let name = format!("{awaits} {what}, activities built before");
            session.report.add(pair.figure(&name, bound));
        }
    }
    // The library that was built last is the one for these.
    let source = |flavor| source::small(flavor, Awaited::BuiltBefore, SMALL);
    let pair = compile_both(compiler, source).await?;
    let name = format!("{SMALL} small functions, activities built before");
    session.report.add(pair.figure(&name, bound));
    Ok(())
}

impl Pair {
    fn figure(self, name: &str, bound: Option<f64>) -> Figure {
        let cpu = |taken: Option<Taken>| match taken {
            Some(taken) => format!("{:.2} s", taken.cpu.as_secs_f64()),
            None => format!("over {LIMIT:?}"),
        };
        let mut figure = Figure::time("compile", name, self.piton.map_or(LIMIT, |it| it.wall))
            .detail(format!("processor time {}, plain {}", cpu(self.piton), cpu(self.plain)));
        if let Some(plain) = self.plain {
            figure = figure.raw(plain.wall.as_secs_f64() * 1e6);
        }
        match bound {
            Some(bound) => figure.target(Target::RatioAtMost(bound)),
            None => figure,
        }
    }
}

/// How large the expansion is, per await.
fn expansion_size(awaits: usize, expansion: &str) -> Figure {
    let (bytes, lines) = (expansion.len(), expansion.lines().count());
    let name = format!("expansion of {awaits} awaits, per await");
    let detail = format!("{:.1} lines; {bytes} bytes in all", lines as f64 / awaits as f64);
    Figure::new("compile", name, bytes as f64 / awaits as f64, Unit::Bytes).detail(detail)
}

/// How much longer a larger program takes, by processor time.
fn growth(name: &str, from: Pair, to: Pair) -> Option<Figure> {
    let quotient = |from: Option<Taken>, to: Option<Taken>| {
        Some(to?.cpu.as_secs_f64() / from?.cpu.as_secs_f64())
    };
    let figure = Figure::new("compile", name, quotient(from.piton, to.piton)?, Unit::Plain);
    let figure = figure.detail("of the processor time");
    Some(match quotient(from.plain, to.plain) {
        Some(plain) => figure.raw(plain).target(Target::RatioAtMost(1.0)),
        None => figure,
    })
}

/// Compiles a program in both flavors, in turn.
async fn compile_both(compiler: &Compiler, source: impl Fn(Flavor) -> String) -> Result<Pair> {
    let mut times = [Vec::new(), Vec::new()];
    let begin = Instant::now();
    for tries in 0..MAX_TRIES {
        if tries >= MIN_TRIES && begin.elapsed() > LONG_ENOUGH {
            break;
        }
        for (times, flavor) in times.iter_mut().zip([Flavor::Piton, Flavor::Plain]) {
            // What has taken too long once is not tried again.
            if times.last().is_none_or(Option::is_some) {
                times.push(compiler.compile(&source(flavor), LIMIT).await?);
            }
        }
    }
    let [piton, plain] = times.map(median);
    Ok(Pair { piton, plain })
}

fn median(times: Vec<Option<Taken>>) -> Option<Taken> {
    let mut times = times.into_iter().collect::<Option<Vec<_>>>()?;
    times.sort_unstable_by_key(|taken| taken.wall);
    times.get(times.len() / 2).copied()
}
