//! The examples of the README.

use super::*;

#[test]
fn the_examples_of_the_readme_give_what_it_shows() {
    let readme = include_str!("../../../README.md");
    let section =
        readme.split("## The puzzle around the count\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let shown = section.lines().filter_map(|line| line.strip_prefix("    "));
    let shown: Vec<&str> = shown.collect();
    let mut examples = 0;
    for example in
        shown.split(|line| line.starts_with("$ ")).skip(1).zip(shown.iter().filter(|l| l.starts_with("$ ")))
    {
        let (output, call) = example;
        let args: Vec<&str> = call.split_whitespace().skip(2).collect();
        assert_eq!(stdout(&args).lines().collect::<Vec<_>>(), output, "{call}");
        examples += 1;
    }
    assert!(examples >= 4);
}
