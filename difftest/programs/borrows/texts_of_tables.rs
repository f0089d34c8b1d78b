//! Texts of tables that the program has for good, found by an index or a look that may change.

struct Plan {
    id: i64,
    name: &'static str,
    limits: [i64; 2],
}

static PLANS: [Plan; 3] = [
    Plan { id: 1, name: "free", limits: [1, 2] },
    Plan { id: 2, name: "team", limits: [3, 4] },
    Plan { id: 3, name: "large", limits: [5, 6] },
];
const OLD: &[Plan] =
    &[Plan { id: 1, name: "trial", limits: [0, 1] }, Plan { id: 2, name: "pro", limits: [2, 3] }];
const CODES: [&str; 3] = ["f", "t", "l"];

#[workflow]
async fn program(n: i64) -> String {
    let mut at = n.rem_euclid(3) as usize;
    let mut id = n.rem_euclid(2) + 1;
    let name = PLANS[at].name;
    let (also, limits) = (PLANS[at].name, PLANS[at].limits);
    let old = OLD.iter().find(|plan| plan.id == id).unwrap().name;
    let code = CODES.get(at).copied().unwrap_or("none");
    at = (at + 1) % 3;
    id += 7;
    tick().await;
    let Plan { name: next, .. } = PLANS[at];
    let start = next.split('e').next().unwrap();
    let last = PLANS.last().map(|plan| plan.name);
    let all: Vec<_> = OLD.iter().map(|plan| plan.name).collect();
    let sent = concat(PLANS[at].name, &fetch(OLD[0].name).await).await;
    let mut log = format!("{name}{also}{limits:?}{old}{code}{next}{start}{last:?}{all:?}{sent}");
    for plan in PLANS.iter().filter(|plan| plan.id >= id - 8) {
        let name = plan.name;
        let first = plan.limits[0];
        tick().await;
        log += &format!("{name}{first}");
    }
    let mut round = 0;
    let name = loop {
        let name = PLANS[round].name;
        round += 1;
        if act(n).await > 2 || round == 3 {
            break name;
        }
        note(name);
    };
    let (a, b) = join!(
        async {
            let name = PLANS[at].name;
            tick().await;
            name.len()
        },
        async {
            let Some(plan) = PLANS.iter().find(|plan| plan.id == n) else { return 0 };
            let name = plan.name;
            tick().await;
            name.len()
        }
    );
    let chosen = select! {
        m = act(n) => { let name = OLD[m.rem_euclid(2) as usize].name; tick().await; name }
        _ = tick() => "none",
    };
    tick().await;
    format!("{log}{name}{a}{b}{chosen}")
}
