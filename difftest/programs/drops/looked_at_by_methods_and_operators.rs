//! Methods that only look and operators make values of their own, so nothing goes before its scope ends.

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Keys(Noisy);

impl Keys {
    fn contains(&self, key: &str) -> bool {
        self.0.name() == key
    }
}

#[workflow]
async fn program(n: i64) -> i64 {
    let words = words("a b c").await;
    let separator = fetch("-").await;
    let joined = Noisy::new(words.join(&separator));
    let added = Noisy::new(String::from("x") + &separator + &words[0]);
    let keys = Keys(Noisy::new("keys"));
    let key = Noisy::new("key");
    if n > 1 {
        drop(joined);
        tick().await;
    } else if keys.contains("keys") {
        note(n);
    } else {
        let moved = added;
        tick().await;
    }
    if n > 2 {
        tick().await;
        drop(key);
    }
    note("end");
    n
}
