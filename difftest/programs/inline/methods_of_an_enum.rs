//! Workflows that take an enum by value, associated functions, and one as a function value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Light {
    Red,
    Green(u8),
    Broken { why: String },
}
impl Light {
    const LIMIT: u8 = 3;
    fn new() -> Self {
        Self::Red
    }
    #[workflow]
    async fn next(self) -> Self {
        match self {
            Self::Red if note(1) > 2 => Self::Broken { why: fetch("odd").await },
            Self::Red => Self::Green(act(2).await as u8 % Self::LIMIT),
            Self::Green(0) => Self::Red,
            Self::Green(left @ 1..) => Self::Green(left - 1),
            broken @ Self::Broken { .. } => {
                let Self::Broken { ref why } = broken else { unreachable!() };
                note(fetch(why).await);
                broken
            }
        }
    }
    #[workflow]
    async fn run(mut self, steps: usize) -> (Self, Vec<Self>) {
        let mut past = vec![];
        for _ in 0..steps {
            let next = self.clone().next().await;
            past.push(std::mem::replace(&mut self, next));
            if let Self::Broken { why } = &mut self {
                why.push_str(&fetch("!").await);
                break;
            }
        }
        (self, past)
    }
    #[workflow]
    async fn start(cx: &Context, n: i64) -> Self {
        cx.sleep(seconds(n as u64)).await;
        if n > 4 { Self::Broken { why: n.to_string() } } else { Self::new() }
    }
}
#[workflow]
async fn program(n: i64) -> String {
    let (light, past) = Light::start(n).await.run(4).await;
    let same = past.iter().filter(|p| **p == light).count();
    let f = Light::next;
    let last = f(light).await;
    format!("{last:?}{past:?}{same}")
}
