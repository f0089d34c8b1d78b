//! Each rule on small bodies. The ui tests show the messages.

use syn::ItemFn;

use super::check_body;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::frontend::args::WorkflowArgs;

/// The rules that a function breaks, in order, each with the message.
fn messages(args: &str, source: &str) -> Vec<(String, String)> {
    let function: ItemFn = syn::parse_str(source).expect("a function");
    let diagnostics = Diagnostics::new();
    let args = WorkflowArgs::parse(args.parse().expect("tokens"), &diagnostics);
    check_body(&function.sig, &function.block, &args, &diagnostics);
    let Err(errors) = diagnostics.finish() else { return Vec::new() };
    let split = |error: syn::Error| {
        let text = error.to_string();
        let (message, rest) = text.split_once("\n\n").expect("a help line");
        let rule = rest.rsplit('`').nth(1).expect("a rule");
        (rule.to_owned(), message.to_owned())
    };
    errors.into_iter().map(split).collect()
}

fn rules(body: &str) -> Vec<String> {
    let source = format!("async fn f(cx: &Context, tags: HashMap<String, u32>) {{ {body} }}");
    messages("", &source).into_iter().map(|(rule, _)| rule).collect()
}

/// Bodies, each with the rule that refuses it.
const REFUSED: &[(&str, &str)] = &[
    ("let t = Instant::now();", "clock"),
    ("let t = std::time::SystemTime::now();", "clock"),
    ("let t = started.elapsed();", "clock"),
    ("let t = <Instant>::now();", "clock"),
    ("use std::time::Instant as Clock; let t = Clock::now();", "clock"),
    ("use std::time as t; let t = t::Instant::now();", "clock"),
    ("let f = chrono::Utc::now;", "clock"),
    ("let x: u8 = rand::random();", "random"),
    ("use rand::random as draw; let x: u8 = draw();", "random"),
    ("let x = thread_rng().gen();", "random"),
    ("let id = Uuid::new_v4();", "random"),
    ("let home = env::var(\"HOME\");", "environment"),
    ("let text = fs::read_to_string(path)?;", "files"),
    ("let file = File::open(path)?;", "files"),
    ("let page = reqwest::get(url).await?;", "network"),
    ("let page = reqwest::Client::new().get(url).send().await?;", "network"),
    ("let s = TcpStream::connect(a).await?;", "network"),
    ("thread::sleep(second);", "threads"),
    ("tokio::spawn(async move { step().await });", "threads"),
    ("let h = thread::spawn(|| step());", "threads"),
    ("Command::new(\"ls\").status();", "processes"),
    ("std::process::exit(1);", "processes"),
    ("println!(\"{}\", order.id);", "output"),
    ("let x = dbg!(y);", "output"),
    ("include!(\"code.rs\");", "include"),
    ("thread_local! { static X: u8 = 0; }", "thread_local"),
    ("static mut X: u8 = 0;", "static_mut"),
    ("static X: Mutex<u8> = Mutex::new(0);", "shared_state"),
    ("static X: AtomicU64 = AtomicU64::new(0);", "shared_state"),
    ("static X: OnceLock<u8> = OnceLock::new(); X.get_or_init(|| 1);", "shared_state"),
    ("thread_local! { static X: Cell<u8> = Cell::new(0); } X.with(Cell::get);", "thread_local"),
    ("let t = Instant::now().elapsed();", "clock"),
    ("let t = row![started.elapsed()];", "clock"),
    ("let t = row![unsafe { read(at) }];", "unsafe_code"),
    ("COUNTER.fetch_add(1, Relaxed);", "shared_state"),
    ("let gate = gates::G.lock();", "shared_state"),
    ("let x = unsafe { read() };", "unsafe_code"),
    ("unsafe fn f() {}", "unsafe_code"),
    ("let m = HashMap::new();", "unordered_map"),
    ("let m: HashMap<u8, u8> = HashMap::new();", "unordered_map"),
    ("let m: HashSet<u8> = list.into_iter().collect();", "unordered_map"),
    ("let m = list.into_iter().collect::<HashSet<_>>();", "unordered_map"),
    ("for (k, v) in &tags { f(k, v); }", "unordered_map"),
    ("let all: Vec<_> = tags.keys().collect();", "unordered_map"),
    ("tokio::time::sleep(second).await;", "not_durable"),
    ("use tokio::time::sleep; sleep(second).await;", "not_durable"),
    ("tokio::time::timeout(second, step()).await?;", "not_durable"),
    ("futures::future::join_all(calls).await;", "not_durable"),
    ("tokio::select! { x = a() => x }", "not_durable"),
    ("use tokio::join; let x = join!(a(), b());", "not_durable"),
    ("let x = list.map(|x| ship(x).await);", "await_in_closure"),
    ("let f = async { a().await; b().await };", "await_in_async_block"),
    ("list.map(|x| async move { ship(x).await });", "await_in_async_block"),
    ("let x = const { a().await };", "await_in_const"),
    ("const X: u8 = a().await;", "await_in_const"),
    ("custom!(a => b().await);", "await_in_macro"),
    ("let x = format!(\"{:?}\", Instant::now());", "clock"),
    ("info!(at = ?SystemTime::now(), \"now\");", "clock"),
    ("custom!(a => std::env::var(b));", "environment"),
    ("select! { x = a() => { println!(\"\") } }", "output"),
    ("async fn g() { let t = Instant::now(); }", "clock"),
    ("impl X { fn g() { let t = Instant::now(); } }", "clock"),
    ("let t = SystemTime::UNIX_EPOCH.elapsed();", "clock"),
    ("let t = jiff::Timestamp::now();", "clock"),
    ("use std::time::{self, Instant as I}; let t = I::now();", "clock"),
    ("{ use std::time::SystemTime as T; } let x = T::of(1); let t = Instant::now();", "clock"),
    ("use rand::{rng as dice}; let x = dice();", "random"),
    ("eprintln!(\"{x}\");", "output"),
    ("print!(\"{x}\");", "output"),
    ("use std::println as say; say!(\"{x}\");", "output"),
    ("std::io::stdout().write_all(text)?;", "output"),
    ("vec![std::fs::read(path)];", "files"),
    ("assert!(Uuid::new_v4() != id);", "random"),
    ("std::include!(\"code.rs\");", "include"),
    ("std::thread_local!(static X: u8 = 0);", "thread_local"),
    ("unsafe impl Send for X {}", "unsafe_code"),
    ("let n = COUNTER.load(Relaxed);", "shared_state"),
    ("let n = *SETTINGS.read();", "shared_state"),
    ("type Prices = HashMap<String, u64>; let p = Prices::new();", "unordered_map"),
    ("type Prices = HashMap<String, u64>; let p: Prices = list.collect();", "unordered_map"),
    ("let p = list.collect::<Option<HashSet<_>>>();", "unordered_map"),
    ("let there = Path::new(name).exists();", "files"),
    ("let there = (PathBuf::from(name).join(\"x\")).is_file();", "files"),
    ("list.retain(|path| Path::exists(path));", "files"),
    ("let path = PathBuf::from(name); let there = path.join(\"x\").exists();", "files"),
    ("let path: &Path = name.as_ref(); let there = (*path).is_dir();", "files"),
    ("let path: PathBuf = load().await; let size = path.metadata()?.len();", "files"),
    ("let path = path.canonicalize()?;", "files"),
    ("let found = (\"host\", 80).to_socket_addrs()?;", "network"),
    ("thread::yield_now();", "threads"),
    ("tokio::task::yield_now().await;", "threads"),
    ("let list = [0; size().await];", "await_in_const"),
];

#[test]
fn what_is_refused() {
    for (body, rule) in REFUSED {
        assert_eq!(rules(body), [*rule], "{body}");
    }
}

/// Each rule that has levels, at each of them.
#[test]
fn every_rule_keeps_to_its_level() {
    for (body, name) in REFUSED {
        let rule = Rule::find(name).expect("a rule");
        if !rule.has_levels() {
            continue;
        }
        let source = format!("async fn f(cx: &Context, tags: HashMap<String, u32>) {{ {body} }}");
        let function: ItemFn = syn::parse_str(&source).expect("a function");
        for (level, is_error, is_warning) in
            [("allow", false, false), ("warn", false, true), ("deny", true, false)]
        {
            let diagnostics = Diagnostics::new();
            let args = format!("{level}({name})").parse().expect("tokens");
            let args = WorkflowArgs::parse(args, &diagnostics);
            check_body(&function.sig, &function.block, &args, &diagnostics);
            let has_warnings = !diagnostics.take_warnings().is_empty();
            assert_eq!((diagnostics.has_errors(), has_warnings), (is_error, is_warning), "{body}");
            let _ = diagnostics.finish();
        }
    }
}

#[test]
fn what_is_not_refused() {
    let cases = [
        "let now = cx.now(); cx.sleep(second).await;",
        "let x = list.iter().map(|x| x + 1).collect::<Vec<_>>();",
        "let (a, b) = join!(a(), async { b().await });",
        "select! { x = async { a().await } => b().await, _ = c() => { d().await } }",
        "vec![a().await; 3];",
        "assert!(matches!(a().await, Some(x) if x > 0), \"{}\", b().await);",
        "let n = tags.len(); let x = tags.get(\"a\");",
        "let tags: BTreeMap<_, _> = tags.into_iter().collect(); for t in &tags {}",
        "let tags = tags.into_iter().collect::<BTreeMap<_, _>>(); for t in &tags {}",
        "struct Instant; let x = Instant::now();",
        "let x = crate::env::var(\"a\");",
        "static NAMES: [&str; 2] = [\"a\", \"b\"]; let x = LIMIT.min(3);",
        "#[activity] async fn g() { println!(\"{:?}\", Instant::now()); }",
        "let code = reqwest::StatusCode::OK;",
        "let rng = StdRng::seed_from_u64(cx.random());",
        "async fn g() { a().await; }",
        "bail!(\"no {}\", a().await);",
        "let m: HashMap<u8, u8, Fixed> = list.collect(); for x in &m {}",
        "type M = HashMap<u8, u8, Fixed>; let m: M = list.collect();",
        "let x = TABLE.get(1); let y = kind.is_file(); let z = order.metadata();",
    ];
    for body in cases {
        assert_eq!(rules(body), [""; 0], "{body}");
    }
}

#[test]
fn levels_are_kept_to() {
    let source = "async fn f() { let t = Instant::now(); println!(\"{t:?}\"); }";
    let rules = |args| messages(args, source).into_iter().map(|(rule, _)| rule).collect::<Vec<_>>();
    assert_eq!(rules(""), ["clock", "output"]);
    assert_eq!(rules("allow(clock)"), ["output"]);
    assert_eq!(rules("warn(clock, output)"), [""; 0]);
    assert_eq!(rules("allow(clock), deny(clock), allow(output)"), ["clock"]);
}

#[test]
fn the_context_is_called_by_its_name() {
    let text = |source: &str| {
        let function: ItemFn = syn::parse_str(source).expect("a function");
        let diagnostics = Diagnostics::new();
        let args = WorkflowArgs::default();
        check_body(&function.sig, &function.block, &args, &diagnostics);
        diagnostics.finish().expect_err("a refusal").to_string()
    };
    let text = |parameters| text(&format!("async fn f({parameters}) {{ Instant::now(); }}"));
    assert!(text("ctx: &Context").contains("`ctx.now()`"));
    assert!(text("order: Order").contains("take `cx: &Context`"));
}

#[test]
fn a_warning_is_the_use_of_something_deprecated() {
    let function: ItemFn =
        syn::parse_str("async fn f(cx: &Context) { let t = Instant::now(); }").expect("a function");
    let diagnostics = Diagnostics::new();
    let args = WorkflowArgs::parse("warn(clock)".parse().expect("tokens"), &diagnostics);
    check_body(&function.sig, &function.block, &args, &diagnostics);
    let items: syn::File = syn::parse2(diagnostics.take_warnings()).expect("items");
    diagnostics.finish().expect("no errors");
    insta::assert_snapshot!(prettyplease::unparse(&items), @r##"
    const _: () = {
        #[deprecated(
            note = "a workflow cannot use `Instant::now`, which reads the clock of the machine\n\n  help: use `cx.now()`, the time at which the step began\n  note: rule `clock`"
        )]
        #[allow(non_upper_case_globals)]
        const clock: () = ();
        clock
    };
    "##);
}

#[test]
fn messages_say_where() {
    let found = messages("", "async fn f() { let t = Instant::now(); COUNTER.store(1); }");
    let texts: Vec<&str> = found.iter().map(|(_, message)| message.as_str()).collect();
    assert_eq!(
        texts,
        [
            "a workflow cannot use `Instant::now`, which reads the clock of the machine",
            "a workflow cannot use `COUNTER`, which all runs of a process share",
        ]
    );
}

#[test]
fn a_function_with_a_keyword_for_its_name_is_asked_about() {
    assert!(messages("strict", "async fn f() { rules::r#type(); r#match(); }").is_empty());
}
