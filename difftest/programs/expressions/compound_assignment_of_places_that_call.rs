//! Of two numbers the right side comes first, whatever the place calls; a place that calls nothing of its own
//! may be of any type.

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Money(i64);

impl std::ops::AddAssign for Money {
    fn add_assign(&mut self, other: Money) {
        note(self.0);
        self.0 += other.0;
    }
}

#[derive(Serialize, Deserialize)]
struct Book {
    sums: Vec<i64>,
}

#[derive(Serialize, Deserialize)]
struct Owner {
    name: String,
    count: i64,
}

impl Book {
    fn part(&mut self, n: usize) -> &mut i64 {
        note(n);
        &mut self.sums[n]
    }
}

fn last(list: &[i64]) -> usize {
    note(list.len() - 1)
}


#[workflow]
async fn program(n: i64) -> String {
    let mut sums = vec![n, 2, 3];
    sums[last(&[1, 2])] += act(1).await;
    let mut at = 0;
    sums[{
        at += 1;
        note(at)
    }] -= {
        at += 1;
        act(2).await
    };
    let mut book = Book { sums: vec![4, 5] };
    *book.part(1) *= act(3).await;
    book.sums[last(&sums) % 2] ^= act(4).await;

    let mut prices = vec![Money(1), Money(n)];
    prices[1] += Money(act(5).await);
    let end = prices.len();
    prices[end.min(1)] += Money(act(6).await);
    let mut by_name: BTreeMap<String, Money> = BTreeMap::new();
    *by_name.entry("a".to_string()).or_default() += Money(act(7).await);
    by_name.get_mut("a").unwrap().0 += act(8).await;
    let mut owner = Owner { name: String::from("b"), count: 0 };
    owner.name += &{
        owner.count += act(9).await;
        concat(&owner.count.to_string(), "!").await
    };
    by_name.entry(owner.name).or_default().0 += owner.count;
    format!("{sums:?} {:?} {prices:?} {by_name:?}", book.sums)
}
