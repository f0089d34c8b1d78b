//! Of a macro's alternatives the first that takes the call counts, whatever later ones do.

macro_rules! log {
    (quiet $value:expr) => {
        $value
    };
    ($name:ident = $value:expr) => {{
        let $name = $value;
        $name + 1
    }};
    ($($value:expr),+ $(,)?) => {
        0 $(+ $value)+
    };
    ($($any:tt)*) => {{
        println!("{:?}", std::time::Instant::now());
        return 0;
    }};
}

#[workflow]
async fn program(n: i64) -> i64 {
    let a = log!(quiet n + 1);
    let b = act(a).await;
    let c = log!(x = b + 1);
    let d = act(c).await;
    log!(a, d, n.max(3),)
}
