//! A board in nested arrays, moved on by answers.

const SIZE: usize = 3;
type Board = [[Option<Mark>; SIZE]; SIZE];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Mark {
    X,
    O,
}

impl std::ops::Not for Mark {
    type Output = Self;
    fn not(self) -> Self {
        if self == Self::X { Self::O } else { Self::X }
    }
}

fn winner(board: &Board) -> Option<Mark> {
    let rows = board.iter().map(|row| [row[0], row[1], row[2]]);
    let columns = (0..SIZE).map(|c| [board[0][c], board[1][c], board[2][c]]);
    rows.chain(columns).find_map(|line| match line {
        [Some(a), Some(b), Some(c)] if a == b && b == c => Some(a),
        _ => None,
    })
}

#[workflow]
async fn program(n: i64) -> (Option<Mark>, Vec<(usize, usize)>) {
    let mut board: Board = [[None; SIZE]; SIZE];
    let mut turn = Mark::X;
    let mut moves = Vec::new();
    'game: for round in 0.. {
        for tries in 0..SIZE {
            let (row, column) = (
                act(n + round + tries as i64).await.unsigned_abs() as usize % SIZE,
                add(round, tries as i64).await.unsigned_abs() as usize % SIZE,
            );
            if let cell @ None = &mut board[row][column] {
                *cell = Some(turn);
                moves.push((row, column));
                board[row][(column + 1) % SIZE] = board[row][(column + 1) % SIZE].or(if flag(round).await { Some(!turn) } else { None });
                break;
            }
            if tries + 1 == SIZE && moves.len() as i64 + round > 8 {
                break 'game;
            }
        }
        if winner(&board).is_some() || round > 9 {
            break;
        }
        turn = !turn;
        for row in &mut board {
            if let [Some(a), .., last] = row && a != &turn {
                *last = lookup("corner").await.map(|_| *a);
            }
        }
        for (r, row) in board.iter().enumerate() {
            for (c, cell) in row.iter().enumerate().skip(1) {
                if cell.is_none() && r == c {
                    note((r, c, act(r as i64).await));
                }
            }
        }
    }
    (winner(&board), moves)
}
