//! Loops over what is in the items of another loop: lists in tables of constants, copied out of their rows.

struct Stage {
    name: &'static str,
    steps: &'static [&'static str],
    limits: [i64; 2],
}

const STAGES: &[Stage] = &[
    Stage { name: "pack", steps: &["pick", "wrap"], limits: [3, 5] },
    Stage { name: "ship", steps: &[], limits: [0, 1] },
];
const TABLE: [(&str, &[&str]); 3] = [("a", &["x", "y"]), ("b", &[]), ("c", &["z"])];
static GRID: [&[i64]; 3] = [&[1], &[2, 3], &[]];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Mark {
    Low,
    High(i64),
}

/// Nothing in it can be copied.
const MARKS: [(Option<Mark>, [Mark; 2]); 2] =
    [(None, [Mark::Low, Mark::High(2)]), (Some(Mark::Low), [Mark::High(3), Mark::Low])];

#[workflow]
async fn program(n: i64) -> (Vec<String>, Vec<i64>, Vec<Mark>) {
    let (mut texts, mut numbers, mut marks) = (vec![], vec![], vec![]);
    for stage in STAGES {
        for step in stage.steps {
            texts.push(concat(stage.name, step).await);
        }
        for limit in stage.limits {
            numbers.push(act(limit).await);
        }
    }
    for (name, steps) in TABLE {
        for step in steps {
            texts.push(concat(step, name).await);
        }
        texts.push(fetch(name).await + &steps.len().to_string());
    }
    for &(name, steps) in &TABLE {
        for (at, step) in steps.iter().enumerate() {
            texts.push(concat(name, step).await + &at.to_string());
        }
        for step in steps {
            if act(numbers.len() as i64).await > 60 {
                break;
            }
            texts.push(fetch(step).await);
        }
    }
    'rows: for (at, row) in GRID.iter().enumerate() {
        for number in *row {
            if add(*number, n).await > 4 {
                continue 'rows;
            }
            numbers.push(act(*number).await);
        }
        numbers.push(at as i64);
    }
    for row in GRID {
        for number in row {
            numbers.push(act(*number).await + row.len() as i64);
        }
    }
    for (first, others) in MARKS {
        for mark in first {
            tick().await;
            marks.push(mark);
        }
        for mark in others {
            if let Mark::High(by) = &mark {
                numbers.push(act(*by).await);
            }
            marks.push(mark);
        }
    }
    let pairs = vec![([n, 2], 'a'), ([3, n], 'b')];
    for &(sides, letter) in &pairs {
        for side in sides {
            numbers.push(act(side).await);
        }
        texts.push(fetch(&letter.to_string()).await);
    }
    (texts, numbers, marks)
}
