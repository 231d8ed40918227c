//! Which room of `src` uses which: no arrow turns back. The order of the rooms is the list in `ARCHITECTURE.md`; a room may
//! use those below it. Nor do files use each other in a circle; that a folder's `mod.rs` names what is in its folder makes
//! none. And messages of the library name its options, not the flags of the command line above it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use syn::{
    Attribute, Expr, Item, ItemUse, LitStr, Macro, Token, UseTree,
    punctuated::Punctuated,
    visit::{self, Visit},
};

/// The names of a module below the crate, outermost first.
type Module = Vec<String>;

/// The text of each file, by its path below `src`.
type Sources = BTreeMap<String, String>;

/// What one file says.
#[derive(Default)]
struct File {
    module: Module,
    /// Names that it defines.
    defined: BTreeSet<String>,
    /// Names that it has from elsewhere, each with its path; `*` may stand for several.
    imported: Vec<(String, Vec<String>)>,
    /// All paths that it uses.
    paths: BTreeSet<Vec<String>>,
    /// All its strings.
    strings: Vec<String>,
}

impl File {
    fn parse(path: &str, text: &str) -> Self {
        let tree = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut file = Self { module: module(path), ..Self::default() };
        file.visit_file(&tree);
        file
    }
}

/// The module of a file. `none.rs` stands for the `mod.rs` beside it in another build.
fn module(path: &str) -> Module {
    let path = path.trim_end_matches(".rs");
    let path = ["/mod", "/none"].iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    path.split('/').filter(|name| *name != "lib").map(Into::into).collect()
}

fn is_test(attributes: &[Attribute]) -> bool {
    let test = |attribute: &Attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(test)
}

impl<'ast> Visit<'ast> for File {
    fn visit_item(&mut self, item: &'ast Item) {
        let (name, attributes) = match item {
            Item::Const(item) => (Some(&item.ident), &item.attrs),
            Item::Enum(item) => (Some(&item.ident), &item.attrs),
            Item::Fn(item) => (Some(&item.sig.ident), &item.attrs),
            Item::Mod(item) => (None, &item.attrs),
            Item::Static(item) => (Some(&item.ident), &item.attrs),
            Item::Struct(item) => (Some(&item.ident), &item.attrs),
            Item::Trait(item) => (Some(&item.ident), &item.attrs),
            Item::Type(item) => (Some(&item.ident), &item.attrs),
            Item::Impl(item) => (None, &item.attrs),
            _ => (None, &Vec::new()),
        };
        if !is_test(attributes) {
            self.defined.extend(name.map(ToString::to_string));
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let mut found = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut found);
        self.paths.extend(found.iter().map(|(_, path)| path.clone()));
        self.imported.extend(found);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if is_inner(&names[0]) {
            self.paths.insert(names);
        }
        visit::visit_path(self, path);
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_lit_str(&mut self, text: &'ast LitStr) {
        self.strings.push(text.value());
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        if let Ok(arguments) = called.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            let mut inner = Self { module: self.module.clone(), ..Self::default() };
            arguments.iter().for_each(|argument| inner.visit_expr(argument));
            self.paths.extend(inner.paths);
            self.strings.extend(inner.strings);
        }
    }
}

/// Whether a path that begins so is of this crate for sure.
fn is_inner(first: &str) -> bool {
    ["crate", "super", "self"].contains(&first)
}

/// The names that a `use` brings, with their paths.
fn flatten(tree: &UseTree, before: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    let whole = |before: &[String], name: String| before.iter().cloned().chain([name]).collect::<Vec<_>>();
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, found);
            before.pop();
        }
        UseTree::Name(name) if name.ident == "self" => {
            found.push((before.last().cloned().unwrap_or_default(), before.clone()));
        }
        UseTree::Name(name) => found.push((name.ident.to_string(), whole(before, name.ident.to_string()))),
        UseTree::Rename(name) => found.push((name.rename.to_string(), whole(before, name.ident.to_string()))),
        UseTree::Glob(_) => found.push(("*".into(), before.clone())),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, before, found)),
    }
}

/// A program, file by file.
struct House {
    files: BTreeMap<String, File>,
    /// The files of modules.
    modules: BTreeMap<Module, String>,
}

impl House {
    fn new(sources: &Sources) -> Self {
        let files: BTreeMap<String, File> =
            sources.iter().map(|(path, text)| (path.clone(), File::parse(path, text))).collect();
        let modules = files.iter().filter(|(path, _)| !path.ends_with("/none.rs"));
        let modules = modules.map(|(path, file)| (file.module.clone(), path.clone())).collect();
        Self { files, modules }
    }

    /// The file that a path leads to, from some module on; none where it leads out of the crate.
    fn target(&self, from: &[String], path: &[String], depth: usize) -> Option<&str> {
        let mut at: Module = match path[0].as_str() {
            "crate" => Vec::new(),
            "self" => from.to_vec(),
            "super" => from[..from.len().checked_sub(1)?].to_vec(),
            name => from.iter().cloned().chain([name.to_owned()]).collect(),
        };
        let mut rest = &path[1..];
        while let Some((name, after)) = rest.split_first() {
            if name == "super" {
                at.pop();
            } else {
                let inner: Module = at.iter().cloned().chain([name.clone()]).collect();
                if !self.modules.contains_key(&inner) {
                    break;
                }
                at = inner;
            }
            rest = after;
        }
        let path = self.modules.get(&at)?;
        let file = &self.files[path];
        let Some(name) = rest.first().filter(|name| !file.defined.contains(*name)) else { return Some(path) };
        assert!(depth < 20, "{name} is handed on in a circle");
        let handed_on = file.imported.iter().find(|(own, _)| own == name).or_else(|| {
            file.imported.iter().find(|(own, path)| {
                let of = |target: &str| self.files[target].defined.contains(name);
                own == "*" && self.target(&at, path, depth + 1).is_some_and(of)
            })
        });
        match handed_on {
            Some((_, further)) => self.target(&at, further, depth + 1).or(Some(path)),
            None => Some(path),
        }
    }

    /// The files that each file uses.
    fn arrows(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let used = |file: &File| -> BTreeSet<&str> {
            file.paths.iter().filter_map(|path| self.target(&file.module, path, 0)).collect()
        };
        self.files
            .iter()
            .map(|(path, file)| {
                let mut used = used(file);
                used.remove(path.as_str());
                (path.as_str(), used)
            })
            .collect()
    }

    /// What breaks the order of rooms, the lowest last.
    fn turned_back(&self, order: &[&str]) -> Vec<String> {
        let room = |path: &str| {
            let module = self.files[path].module.join("/");
            let of = |room: &&str| module == **room || module.starts_with(&format!("{room}/"));
            (0..order.len()).filter(|&at| of(&order[at])).max_by_key(|&at| order[at].len())
        };
        let mut faults: Vec<String> = Vec::new();
        for (from, used) in self.arrows() {
            // the crate's root hands on what is public
            if from == "lib.rs" {
                continue;
            }
            let Some(own) = room(from) else {
                faults.push(format!("{from} is in no room of the list"));
                continue;
            };
            for to in used {
                match room(to) {
                    Some(other) if other < own => {
                        faults.push(format!("{from} ({}) uses {to} ({})", order[own], order[other]));
                    }
                    _ => {}
                }
            }
        }
        let empty = order.iter().filter(|room| {
            !self.modules.keys().any(|module| {
                let module = module.join("/");
                module == ***room || module.starts_with(&format!("{room}/"))
            })
        });
        faults.extend(empty.map(|room| format!("there is no room {room}")));
        faults
    }

    /// Strings of the library that name a flag, or in backticks what `known` does not name.
    fn flags(&self, known: &str) -> Vec<String> {
        let mut faults = Vec::new();
        for (path, file) in &self.files {
            if file.module.first().is_some_and(|room| ["cli", "report"].contains(&room.as_str())) {
                continue;
            }
            for text in &file.strings {
                let flag =
                    text.split("--").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
                let named = text.split('`').skip(1).step_by(2);
                let unknown = |name: &&str| {
                    let plain = |c: char| c.is_ascii_alphabetic() || "_.:".contains(c);
                    name.chars().all(plain) && !known.contains(&format!("`{name}`"))
                };
                if flag || named.clone().any(|name| unknown(&name)) {
                    faults.push(format!("{path}: {text}"));
                }
            }
        }
        faults
    }

    /// Files that use each other in a circle, each with those that it can reach and that reach it.
    fn circles(&self) -> Vec<String> {
        let mut arrows = self.arrows();
        for (from, used) in &mut arrows {
            // what stands for a folder, and what is in it
            used.retain(|to| !self.files[*to].module.starts_with(&self.files[*from].module));
        }
        let reach = |start: &str| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![start.to_owned()]);
            while let Some(path) = open.pop() {
                for to in &arrows[path.as_str()] {
                    if seen.insert((*to).to_owned()) {
                        open.push((*to).to_owned());
                    }
                }
            }
            seen
        };
        let reached: BTreeMap<&str, BTreeSet<String>> =
            arrows.keys().map(|&path| (path, reach(path))).collect();
        let in_circle = reached.iter().filter(|(path, reached)| reached.contains(**path));
        in_circle
            .map(|(path, all)| {
                let back = all.iter().filter(|other| reached[other.as_str()].contains(*path));
                format!("{path} <-> {}", back.cloned().collect::<Vec<_>>().join(", "))
            })
            .collect()
    }
}

/// The list of rooms, the highest first: the first word of each line of the fence marked `rooms`.
fn order(architecture: &str) -> Vec<&str> {
    let (_, list) = architecture.split_once("```rooms\n").expect("a list of rooms");
    let (list, _) = list.split_once("```").expect("an end of the list");
    list.lines().filter_map(|line| line.split_whitespace().next()).collect()
}

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// All files of `src` but those of tests, and the program's main file, which uses the library from outside.
fn sources() -> Sources {
    let root = Path::new(ROOT).join("src");
    let (mut sources, mut open) = (Sources::new(), vec![root.clone()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let below = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                open.push(path);
            } else if below.ends_with(".rs") && !below.contains("tests") && below != "main.rs" {
                sources.insert(below, fs::read_to_string(path).unwrap());
            }
        }
    }
    sources
}

#[test]
fn no_arrow_turns_back_and_no_files_form_a_circle() {
    let architecture = fs::read_to_string(Path::new(ROOT).join("ARCHITECTURE.md")).unwrap();
    let house = House::new(&sources());
    let faults = [house.turned_back(&order(&architecture)), house.circles()].concat();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_library_names_no_flags() {
    let sources = sources();
    let faults = House::new(&sources).flags(&sources["cli/failure.rs"]);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for (line, seen) in [
        ("const A: &str = \"use --device cpu\";", true),
        ("fn f() { format!(\"use `device` {}\", 1) }", false),
        ("fn f() { format!(\"use --device {}\", 1) }", true),
        ("const A: &str = \"use `devices` cpu\";", true),
        ("/// As `--device`.\nconst A: &str = \"a -- b\";", false),
    ] {
        assert_eq!(!planted("high.rs", line).flags("`device`").is_empty(), seen, "{line}");
    }
}

/// A small program with one line more.
fn planted(file: &str, line: &str) -> House {
    let mut sources: Sources = [
        ("lib.rs", "mod low; mod high; pub use self::low::{Low, deep::Deep};"),
        ("low/mod.rs", "pub mod deep; mod face; pub use self::face::*; pub struct Low;"),
        ("low/deep.rs", "use super::Low; pub struct Deep(Low);"),
        ("low/face.rs", "pub struct Face;"),
        ("high.rs", "use crate::{Low, low::deep}; pub struct High(Low, deep::Deep, crate::low::Face);"),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into();
    *sources.get_mut(file).unwrap() += line;
    House::new(&sources)
}

#[test]
fn a_planted_arrow_is_seen() {
    let order = ["high", "low"];
    let house = planted("lib.rs", "");
    assert!(house.turned_back(&order).is_empty() && house.circles().is_empty());
    let uses = |file: &str| house.arrows()[file].iter().copied().collect::<Vec<_>>();
    assert_eq!(uses("high.rs"), ["low/deep.rs", "low/face.rs", "low/mod.rs"], "through what hands names on");
    for (file, line) in [
        ("low/mod.rs", "use crate::high::High;"),
        ("low/deep.rs", "fn f() -> crate::high::High { todo!() }"),
        ("low/face.rs", "use super::super::high;"),
        ("low/face.rs", "fn f() { let _ = format!(\"{}\", crate::high::X); }"),
    ] {
        let faults = planted(file, line).turned_back(&order);
        assert!(matches!(&faults[..], [one] if one.starts_with(file)), "{line}: {faults:?}");
        assert!(!planted(file, line).circles().is_empty(), "{line}");
    }
    // within a room
    let circle = planted("low/face.rs", "use super::deep::Deep;");
    assert!(circle.circles().is_empty());
    let circle = planted("low/mod.rs", "pub struct More(deep::Deep); use crate::low::face::Face;");
    assert!(circle.circles().is_empty(), "what a folder's file names in the folder");
    let mut sources = Sources::from([("lib.rs".into(), "mod a; mod b;".into())]);
    sources.insert("a.rs".into(), "use crate::b::B; pub struct A(B);".into());
    sources.insert("b.rs".into(), "pub struct B; fn f(_: super::a::A) {}".into());
    assert_eq!(House::new(&sources).circles(), ["a.rs <-> a.rs, b.rs", "b.rs <-> a.rs, b.rs"]);
    // tests may look up
    let test = planted("low/face.rs", "#[cfg(test)] mod tests { use crate::high::High; }");
    assert!(test.turned_back(&order).is_empty());
    let unlisted = planted("lib.rs", "").turned_back(&["high", "low/deep", "gone"]);
    assert_eq!(unlisted.len(), 3, "two files in no room, and a room that is not there: {unlisted:?}");
}
