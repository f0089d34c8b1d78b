//! Iterators of the program's own that have borrowed what they take their items out of, and go through all of them.

struct Ready<'a>(&'a mut Vec<i64>);

impl Iterator for Ready<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        self.0.pop()
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Queue {
    items: Vec<i64>,
}

impl Queue {
    fn ready(&mut self) -> Ready<'_> {
        Ready(&mut self.items)
    }

    fn all(&mut self) -> Vec<i64> {
        std::mem::take(&mut self.items)
    }

    fn out(&mut self) -> std::vec::Drain<'_, i64> {
        self.items.drain(..)
    }
}

fn first_of(items: &mut Vec<i64>) -> Vec<i64> {
    items.drain(..1).collect()
}

#[workflow]
async fn program(n: i64) -> Queue {
    let mut queue = Queue { items: (0..5).map(|x| x + n).collect() };
    for x in queue.ready() {
        act(x).await;
    }
    queue.items.extend([1, 2, 3]);
    for x in Ready(&mut queue.items) {
        act(x).await;
    }
    queue.items.extend([1, 2, 3]);
    for x in first_of(&mut queue.items) {
        if act(x).await > 3 {
            break;
        }
    }
    for x in queue.out() {
        if act(x).await > 3 {
            break;
        }
    }
    queue.items.extend([1, 2, 3]);
    for x in queue.all() {
        if act(x).await > 3 {
            break;
        }
    }
    queue
}
