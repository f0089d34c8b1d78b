//! Statements without a semicolon, and blocks behind `async`, that a macro is given for a workflow.

macro_rules! made {
    ($name:ident, $n:ident, [$($first:stmt)*] $last:stmt => $block:block, $value:expr) => {
        #[workflow]
        async fn $name($n: i64) -> String {
            $($first)*
            tick().await;
            $last
            let (a, b) = join!(async $block, async move $block);
            let c = async $block.await + $value;
            let d = if a > 3 $block else { $value };
            let e = loop { break $block; };
            $last
            format!("{a} {b} {c} {d} {e}")
        }
    };
}

made!(one, n, [let x = act(n).await let y = x + 1 drop(note(y)) let z = act(y).await] drop(note(n)) => {
    note(n);
    act(n + 1).await * 2
}, 1 + 2);
made!(two, n, [let mut list = list(n).await list.push(n) for x in &list { note(x); }] tick().await => { n * 2 }, -n);

#[workflow]
async fn program(n: i64) -> (String, String) {
    (one(n).await, two(n).await)
}
