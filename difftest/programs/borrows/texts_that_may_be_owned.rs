//! A `Cow<str>` that borrows on one way and owns its text on another.

use std::borrow::Cow;

fn shout(text: &str) -> Cow<'_, str> {
    if text.len() > 6 { Cow::Borrowed(text) } else { Cow::Owned(text.to_uppercase()) }
}

#[workflow]
async fn program(n: i64) -> String {
    let text = fetch("text").await;
    let bytes = text.clone().into_bytes();
    let read = String::from_utf8_lossy(&bytes);
    let loud: Cow<'_, str> = shout(&text);
    let fixed: Cow<'static, str> = if n > 2 { "fixed".into() } else { text.clone().into() };
    let mut last = if n > 1 { String::from_utf8_lossy(&bytes[1..]) } else { Cow::Borrowed("last") };
    for count in 0..n % 4 {
        if act(count).await > 2 {
            last.to_mut().push('!');
        } else {
            last = shout(&text);
        }
    }
    let (one, two) = join!(concat(&read, &loud), async {
        tick().await;
        loud.len()
    });
    note(two);
    let owned = loud.into_owned();
    tick().await;
    format!("{one} {read} {fixed} {last} {owned}")
}
