//! A policy as a tree, gone through by a workflow that calls itself.

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Policy {
    One(String),
    AllOf(Vec<Policy>),
    AnyOf(Vec<Policy>),
    Above { limit: i64, then: Box<Policy>, otherwise: Option<Box<Policy>> },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Vote {
    who: String,
    yes: bool,
}

#[workflow]
async fn approve(amount: i64, policy: Policy, depth: u32) -> Result<(bool, Vec<Vote>), String> {
    if depth > 4 {
        return Err(format!("{amount} is nested too deeply"));
    }
    let next = depth + 1;
    match policy {
        Policy::One(who) => {
            let vote = Vote { yes: flag(lookup(&who).await.unwrap_or(amount)).await, who };
            Ok((vote.yes, vec![vote]))
        }
        Policy::AllOf(parts) => {
            let mut votes = vec![];
            for part in parts {
                let (ok, mut more) = Box::pin(approve(amount, part, next)).await?;
                votes.append(&mut more);
                if !ok {
                    return Ok((false, votes));
                }
            }
            Ok((true, votes))
        }
        Policy::AnyOf(parts) => {
            let mut votes = Vec::new();
            let yes = 'any: {
                for part in parts.into_iter().rev() {
                    let (ok, more) = Box::pin(approve(amount, part, next)).await?;
                    votes.extend(more);
                    if ok {
                        break 'any true;
                    }
                }
                false
            };
            Ok((yes, votes))
        }
        Policy::Above { limit, then, otherwise } => {
            let chosen = if amount > limit { Some(then) } else { otherwise };
            match chosen {
                Some(policy) => Box::pin(approve(amount, *policy, next)).await,
                None => Ok((true, vec![])),
            }
        }
    }
}

#[workflow]
async fn program(n: i64) -> Result<(bool, Vec<Vote>), String> {
    let one = |who: &str| Policy::One(who.to_owned());
    let mut deep = one("deep");
    for _ in 0..n.rem_euclid(6) {
        deep = Policy::AllOf(vec![deep]);
    }
    let policy = Policy::AllOf(vec![
        Policy::AnyOf(vec![one("ann"), one("bob")]),
        Policy::Above { limit: 3, then: Box::new(one("chief")), otherwise: None },
        deep,
        Policy::Above { limit: 9, then: Box::new(one("x")), otherwise: Some(Box::new(one("y"))) },
    ]);
    approve(n, policy, 0).await
}
