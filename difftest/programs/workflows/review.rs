//! A review by people, with reminders, a deadline, and documents that come late.

use std::time::Duration;

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Document {
    Passport { number: String },
    Bill(String),
    Selfie,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Verdict {
    Approved { by: String, score: i64 },
    Rejected(String),
    Expired,
}

const REVIEW_WITHIN: Duration = Duration::from_secs(7 * 24 * 3600);
static REMIND_EVERY: Duration = Duration::from_secs(2 * 24 * 3600);

#[workflow]
async fn read(document: Document) -> Option<String> {
    match document {
        Document::Passport { number } => Some(fetch(&number).await),
        Document::Bill(text) if text.len() > 12 => None,
        Document::Bill(text) => find(text.len() as i64).await,
        Document::Selfie => None,
    }
}

#[workflow]
async fn program(cx: &Context, n: i64) -> (Verdict, Vec<String>) {
    let mut documents = vec![
        Document::Passport { number: format!("P{n}") },
        Document::Bill(fetch("bill").await),
        Document::Selfie,
    ];
    let (score, texts) = join!(act(n), join_all(documents.iter().cloned().map(read)));
    let mut found: Vec<String> = texts.into_iter().flatten().collect();
    if score < 10 && !found.is_empty() {
        return (Verdict::Approved { by: "auto".into(), score }, found);
    }
    let ticket = concat("review", &format!("{}", found.len())).await;
    let deadline = cx.now() + REVIEW_WITHIN;
    let mut reminded = 0;
    let verdict = loop {
        let next = cx.now() + REMIND_EVERY;
        let by = select! { biased;
            Approve { by } = cx.signal() => by,
            Bump(number) = cx.signal() => {
                let document = Document::Passport { number: number.to_string() };
                if let Some(text) = read(document.clone()).await {
                    found.push(text);
                }
                documents.push(document);
                continue;
            }
            _ = cx.sleep_until(if next < deadline { next } else { deadline }) => {
                if cx.now() >= deadline {
                    break Verdict::Expired;
                }
                reminded += 1;
                note(add(reminded, score).await);
                continue;
            }
        };
        let words = words(&by).await;
        match words.as_slice() {
            [] => continue,
            [only] => break Verdict::Approved { by: only.to_string(), score },
            [first, rest @ ..] => {
                let title = format!("need {first} and {} more", rest.len());
                if flag(rest.len() as i64 + reminded).await {
                    break Verdict::Rejected(concat(&title, first).await);
                }
            }
        }
    };
    found.push(concat(&ticket, &format!("{} {}", documents.len(), reminded)).await);
    (verdict, found)
}
