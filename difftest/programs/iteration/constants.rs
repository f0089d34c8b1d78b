//! Loops over constants, by value and by borrow, and over what borrowed constants are made of.

const ENGINES: &[&str] = &["fast", "careful"];
const NAMES: [&str; 3] = ["x", "y", "z"];
const LIMITS: [(i64, Kind); 2] = [(3, Kind::Low), (9, Kind::High)];
const GRID: [[i64; 2]; 2] = [[1, 2], [3, 4]];
const ROUNDS: std::ops::Range<i64> = 0..3;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Low,
    High,
}

struct Tier {
    name: &'static str,
    people: &'static [&'static str],
    sizes: [u8; 2],
}

static TIERS: &[Tier] = &[
    Tier { name: "first", people: &["ann", "bob"], sizes: [1, 2] },
    Tier { name: "second", people: &["cid"], sizes: [3, 4] },
    Tier { name: "third", people: &[], sizes: [5, 6] },
];

#[workflow]
async fn program(n: i64) -> (Vec<Kind>, Vec<String>) {
    let mut log = vec![];
    let mut kinds = vec![];
    'engines: for engine in ENGINES {
        for name in NAMES {
            log.push(concat(engine, name).await);
            if log.len() as i64 > n % 5 {
                log.push(format!("{engine} {name}"));
                continue 'engines;
            }
        }
    }
    for (limit, kind) in LIMITS {
        if act(limit).await > 4 {
            kinds.push(kind);
            tick().await;
        }
        log.push(limit.to_string());
    }
    for row in GRID {
        for cell in row {
            log.push(act(cell).await.to_string());
            log.push(cell.to_string());
        }
    }
    for round in ROUNDS {
        let Some(tier) = TIERS.get((round + n).rem_euclid(4) as usize) else { continue };
        for person in tier.people {
            log.push(concat(tier.name, person).await);
            if person.starts_with('a') {
                log.push(person.to_string());
                break;
            }
        }
        for size in tier.sizes {
            log.push(act(i64::from(size)).await.to_string());
            log.push(size.to_string());
        }
    }
    (kinds, log)
}
