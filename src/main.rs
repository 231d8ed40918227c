use ferz::*;
fn main() {
    let n: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut o = Options::default();
    if let Some(d) = std::env::args().nth(2) {
        o.device = d.parse().unwrap();
    }
    if let Some(d) = std::env::args().nth(3) {
        o.depth = Some(d.parse().unwrap());
    }
    let r = count(&Problem::queens(n).unwrap(), &o, &mut |e| eprintln!("{e:?}"));
    println!("{r:#?}");
}
