//! Functions of the file give literals in tuples and lists.

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Plan {
    seats: i64,
}
impl Plan {
    fn stages(&self) -> Vec<(&'static str, i64)> {
        vec![("a", self.seats), ("b", 1)]
    }
    fn label(&self) -> (&'static str, bool) {
        ("x", self.seats > 3)
    }
    fn why(&self) -> Option<&'static str> {
        (self.seats > 2).then_some("why")
    }
    fn all(&self) -> Vec<&'static str> {
        vec!["p", "q"]
    }
    fn ok(&self) -> Result<i64, &'static str> {
        if self.seats > 4 { Err("seats") } else { Ok(self.seats) }
    }
}
#[workflow]
async fn program(n: i64) -> String {
    let plan = Plan { seats: n };
    let mut sum = 0;
    for (name, k) in plan.stages() {
        fetch(name).await;
        sum += act(k).await;
    }
    for (i, (name, k)) in plan.stages().into_iter().enumerate() {
        fetch(name).await;
        sum += act(k + i as i64).await;
    }
    let label = plan.label();
    let why = plan.why();
    let ok = plan.ok();
    tick().await;
    for name in plan.all() {
        fetch(name).await;
        tick().await;
    }
    let stages = plan.stages();
    let mut queue = VecDeque::new();
    for s in stages {
        queue.push_back(s);
        act(s.1).await;
    }
    tick().await;
    format!("{label:?} {why:?} {ok:?} {sum} {queue:?}")
}
