//! People who are reminded until they answer.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Default)]
struct User {
    name: String,
    email: Option<String>,
    verified: bool,
    reminders: Vec<u8>,
    referrer: Option<Box<User>>,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Step {
    Verify,
    Profile,
    Invite,
}
impl Step {
    const ALL: [Step; 3] = [Step::Verify, Step::Profile, Step::Invite];
    fn wait(self, round: u8) -> Duration {
        (match self {
            Step::Verify => hours(1),
            Step::Profile => days(1),
            Step::Invite => minutes(5),
        }) * u32::from(round + 1)
    }
}
#[derive(Debug, Serialize, Deserialize)]
enum Left {
    Silent(Step),
    Refused(String),
}
#[workflow]
async fn remind(cx: &Context, user: User, step: Step) -> Result<User, Left> {
    let mut user = user;
    let limit = match step {
        Step::Verify => 2,
        _ => 1,
    };
    let mut round = 0u8;
    while round <= limit {
        let answered = select! {
            ok = cx.signal::<Approve>() => Some(ok),
            () = cx.sleep(step.wait(round)) => None,
        };
        let Some(Approve { by }) = answered else {
            user.reminders.push(round);
            let subject = format!("{step:?} reminder {round} for {name}", name = user.name);
            let sent = fetch(&subject).await;
            if sent.len() > 40 {
                note(sent);
            }
            round += 1;
            continue;
        };
        match (step, by.split_once(' ')) {
            (Step::Verify, Some((_, number)))
                if number.parse::<i64>().is_ok_and(|n| n % 2 == 1) =>
            {
                user.verified = true
            }
            (Step::Profile, Some((name, _))) => user.email = Some(concat(name, "mail").await),
            (_, None) => return Err(Left::Refused(by)),
            _ => user.referrer = Some(Box::new(User { name: by, ..User::default() })),
        }
        return Ok(user);
    }
    Err(Left::Silent(step))
}
#[workflow]
async fn program(cx: &Context, n: i64) -> Result<User, (String, Left)> {
    let user = User { name: find(n).await.unwrap_or_default(), ..Default::default() };
    let fallback = user.clone();
    let mut current = Ok(user);
    for (i, step) in Step::ALL.into_iter().enumerate().filter(|(i, _)| *i as i64 != n % 4) {
        current = match current {
            Ok(user) if i < 2 || user.verified => remind(user, step).await,
            Ok(user) => {
                cx.sleep(days(2)).await;
                Ok(User { verified: !user.verified, ..user })
            }
            Err(Left::Silent(Step::Verify)) => Ok(fallback.clone()),
            err @ Err(_) => err,
        };
    }
    let mut user = current.map_err(|left| (fallback.name.to_uppercase(), left))?;
    if let Some(r) = user.referrer.as_deref_mut() {
        r.name += &act(r.name.len() as i64).await.to_string();
    }
    Ok(user)
}
