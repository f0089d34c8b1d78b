use piton::prelude::*;

#[activity]
async fn account(owner: u64) -> u64 {
    owner
}

#[workflow]
async fn run(cx: &Context) -> u64 {
    let (payer, payee) = join!(
        #[state("payer")]
        account(1),
        #[state("payer")]
        account(2),
    );
    select! {
        #[state("account")]
        late = cx.sleep(std::time::Duration::from_secs(1)) => payer,
        early = account(3) => payee,
        #[state("")]
        other = account(4) => payee,
    }
}

fn main() {}
