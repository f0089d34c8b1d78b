//! What a macro of the standard library shows of `self`, and texts that look as if they captured it.

use std::fmt;

macro_rules! shown {
    ($format:literal, $($value:expr),*) => { note(format!($format, $($value),*)) };
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Meter {
    level: i64,
    limit: Option<i64>,
}

impl fmt::Display for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "meter at {}", self.level)
    }
}

impl Meter {
    const LEAST: i64 = 3;

    #[workflow]
    async fn texts(self) -> String {
        tick().await;
        let list = vec!["{self}", stringify!(self.level)];
        let filled = format!("{}: {self}, {self:>20}, {{self}}", "a {self}".replace("{self}", "b"));
        let is_text = matches!(list[0], "{self}")
            && matches!(self.limit, Some(limit) if limit > self.level && limit > Self::LEAST);
        assert_eq!(list[0], "{self}", "of {self}");
        shown!("{} of {}", self, self.level);
        let (inner, asked) =
            join!(async { format!("{self} {}", act(self.level).await) }, fetch("{self}"));
        format!("{list:?} {filled} {is_text} {inner} {asked} {}", format!("{self:?}"))
    }

    #[workflow]
    async fn checked(self) -> i64 {
        let asked = act(self.level).await;
        assert!(self.level != 1);
        assert!(act(asked).await >= self.level || self.limit.is_some());
        asked
    }
}

#[workflow]
async fn program(n: i64) -> (i64, String) {
    let meter = Meter { level: n, limit: Some(n + 1).filter(|limit| limit % 2 != 0) };
    (meter.clone().checked().await, meter.texts().await)
}
