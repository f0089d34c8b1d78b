//! Constants in lower case that are imported: once each, and beside bindings of which several have one name.
mod limits {
    #![allow(non_upper_case_globals)]
    pub(crate) const seven: i64 = 7;
    pub(crate) const one: i64 = 1;
}
use limits::{one, seven};

#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut found = Vec::new();
    for i in [n, 1, 7] {
        found.push(match act(i).await {
            seven => 1,
            other => act(other).await,
        });
        if let (other, one) = (act(i).await, i) {
            found.push(act(other).await);
        }
        match i {
            other if other > 5 => found.push(act(other + limits::one).await),
            other => found.push(other),
        }
    }
    found
}
