//! A vote with a quorum and a time limit, counted through a borrow.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Ballot {
    Yes,
    No,
    Abstain,
}
struct Tally<'a> {
    votes: &'a BTreeMap<String, Ballot>,
}
impl<'a> Tally<'a> {
    fn of(votes: &'a BTreeMap<String, Ballot>) -> Self {
        Tally { votes }
    }
    fn count(&self, b: Ballot) -> usize {
        self.votes.values().filter(|v| **v == b).count()
    }
    fn leader(&self) -> Ordering {
        self.count(Ballot::Yes).cmp(&self.count(Ballot::No))
    }
}
#[workflow]
async fn program(cx: &Context, n: i64) -> (String, BTreeMap<String, Ballot>) {
    let members: BTreeSet<String> = ["ann", "bob", "cy", "di"]
        .iter()
        .map(|s| s.to_string())
        .take(2 + n.rem_euclid(3) as usize)
        .collect();
    let mut votes = BTreeMap::new();
    let quorum = members.len() / 2 + 1;
    let closes = cx.now() + hours(6);
    let verdict = 'vote: {
        while votes.len() < members.len() {
            let absent = members.iter().filter(|m| !votes.contains_key(m.as_str()));
            let next = absent.clone().next().cloned().unwrap();
            drop(absent);
            let remaining = closes - cx.now();
            if remaining.is_zero() {
                break 'vote "closed";
            }
            select! {
                Bump(k) = cx.signal() => { let b = match k % 30 { 0 => Ballot::No, 10 => Ballot::Yes, _ => Ballot::Abstain }; if let Some(old) = votes.insert(next, b) { note(old); } },
                Approve { by } = cx.signal::<Approve>() => { let who = members.get(by.trim_start_matches("approver ")).cloned().unwrap_or(next); votes.entry(who).and_modify(|b| *b = Ballot::Abstain).or_insert(Ballot::Yes); },
                () = cx.sleep(remaining.min(hours(2))) => { tick().await; votes.insert(next, Ballot::Abstain); },
            }
            let tally = Tally::of(&votes);
            if tally.count(Ballot::Yes) >= quorum {
                break 'vote "passed";
            }
            if tally.count(Ballot::No) >= quorum {
                break 'vote "failed";
            }
        }
        match Tally::of(&votes).leader() as i8 {
            ..=-1 => "failed",
            1.. if n % 2 == 0 => "passed",
            0.. => {
                let t = act(n).await;
                if t > 50 { "tie" } else { "late tie" }
            }
        }
    };
    let shown = concat(verdict, &votes.len().to_string()).await;
    (shown, votes)
}
