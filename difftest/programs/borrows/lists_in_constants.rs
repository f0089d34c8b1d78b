//! Lists that last as long as the program, in the fields of constants, are held by way of the constant: of the items of a
//! loop, by an index, of what is found.

#[derive(Clone, Copy, Debug)]
struct Step {
    name: &'static str,
    rate: i64,
}

struct Stage {
    name: &'static str,
    tags: &'static [&'static str],
    steps: &'static [Step],
}

const STAGES: [Stage; 3] = [
    Stage { name: "x", tags: &["a", "b"], steps: &[Step { name: "s", rate: 1 }] },
    Stage { name: "y", tags: &[], steps: &[] },
    Stage { name: "z", tags: &["c"], steps: &[Step { name: "t", rate: 3 }, Step { name: "u", rate: 4 }] },
];

const LAST: Stage = Stage { name: "last", tags: &["e"], steps: &[] };

#[workflow]
async fn by_field(n: i64) -> i64 {
    let mut sum = 0;
    for stage in &STAGES {
        let steps = &stage.steps;
        sum += act(n).await;
        for step in stage.steps {
            sum += add(step.rate, step.name.len() as i64).await;
        }
        sum += steps.len() as i64;
    }
    for stage in STAGES {
        sum += act(n).await + stage.steps.len() as i64;
    }
    sum
}

#[workflow]
async fn by_name(n: i64) -> String {
    let mut out = String::new();
    for stage in &STAGES {
        let Stage { steps, name, .. } = stage;
        out += &fetch(name).await;
        for step in *steps {
            out += &fetch(step.name).await;
        }
        let tag = stage.tags.first();
        act(n).await;
        out += &format!("{name} {tag:?}");
    }
    let Stage { name, tags, .. } = &LAST;
    act(n).await;
    out + name + &tags.concat()
}

#[workflow]
async fn program(n: i64) -> (i64, String) {
    let sum = by_field(n).await;
    let mut out = by_name(n).await;
    for at in 0..3 {
        let steps = &STAGES[at].steps;
        out += &fetch("f").await;
        out += &format!("{steps:?}");
    }
    let stage = &STAGES[n as usize % 3];
    act(n).await;
    let found = STAGES.iter().find(|stage| stage.name == "z").unwrap();
    for tag in found.tags {
        out += &fetch(tag).await;
    }
    (sum, out + &stage.tags.concat())
}
