//! A constant in a pattern is one whatever its case, in the file and in the body.
#[allow(non_upper_case_globals)]
const seven: i64 = 7;

mod elsewhere {
    /// Not seen from the workflow.
    #[allow(non_upper_case_globals, dead_code)]
    pub(crate) const other: i64 = 3;
}

#[derive(Debug, Serialize, Deserialize)]
struct Counted {
    seven: i64,
    other: i64,
}

#[workflow]
#[allow(non_upper_case_globals)]
async fn program(n: i64) -> Vec<i64> {
    const eleven: i64 = 11;
    let mut found = Vec::new();
    for i in [n, seven, eleven] {
        found.push(match act(i).await {
            seven if n % 2 == 0 => 1,
            eleven | 7 => act(i).await,
            other => act(other).await,
        });
        found.push(match (i, act(1).await) {
            (seven, one) => act(one).await,
            (eleven, other) => act(other + 1).await,
            (other, _) => other + elsewhere::other,
        });
        let counted = Counted { seven: i, other: act(i).await };
        if let Counted { seven, other } = counted {
            found.push(act(other).await);
        }
        if let Some(seven) = Some(i) {
            found.push(act(3).await + seven);
        }
    }
    found
}
