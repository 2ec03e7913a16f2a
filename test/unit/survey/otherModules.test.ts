import { describe, expect, it } from 'vitest';
import { parseGoFile } from '../../../src/core/survey/api/goFile.ts';
import { parsePythonModule } from '../../../src/core/survey/api/pythonModule.ts';
import { parseRustModule } from '../../../src/core/survey/api/rustModule.ts';

describe('what a Python module gives', () => {
  const module = parsePythonModule(`# -*- coding: utf-8 -*-
"""
Title
=====

Reads configuration. Slowly.
"""
from .app import Flask as Flask
from .helpers import (
    url_for,  # noqa
    abort as stop,
)
import os

__all__ = ["Flask", 'load']
__all__ += ["extra"]

LIMIT: int = 5

@overload
def load(a: int) -> int: ...
@decorated
async def load(
    a: dict[str, int] = {"x": 1},
) -> int:
    """Loads a file.

    More."""
    text = """
def not_a_function():
"""

class Reader(Base):
    '''Reads: lines.'''
    def method(self): pass

def _private(): pass
`);

  it('is read from definitions, docstrings and __all__', () => {
    expect(module.doc).toBe('Reads configuration');
    expect(module.all).toEqual(['Flask', 'load', 'extra']);
    expect(module.definitions.map((d) => [d.name, d.kind, d.doc])).toEqual([['load', 'function', 'Loads a file'], ['Reader', 'class', 'Reads: lines'], ['LIMIT', 'constant', null]]);
  });

  it('tells what it passes on', () => {
    expect(module.imports).toEqual([
      { name: 'Flask', module: '.app', original: 'Flask', passedOn: true },
      { name: 'url_for', module: '.helpers', original: 'url_for', passedOn: false },
      { name: 'stop', module: '.helpers', original: 'abort', passedOn: false },
    ]);
  });
});

describe('what a Rust module gives', () => {
  const module = parseRustModule(`// Copyright
/*! */
#![deny(missing_docs)]
//! Matches globs.
//!
//! # Example

mod inner;
pub mod glob;
#[cfg(test)]
mod tests;

pub use crate::inner::{Error, Kind as ErrorKind, deep::{self, Deep}};
pub use std::io::Result;
#[doc(hidden)]
pub use crate::secret::Secret;

/// A set of globs.
///
/// More.
#[derive(Debug)]
pub struct Set<'a> { pub field: char }
impl Set { pub fn method(&self) {} }
pub(crate) struct Hidden;
/// Escapes.
pub const unsafe extern "C" fn escape() { let c = '"'; }
/* pub fn commented() {} */
const TEXT: &str = "
pub fn in_a_string() {}
";
pub trait Sink {}
#[macro_export]
macro_rules! shout { () => {} }
macro_rules! local { () => {} }
cfg_net! {
    /// TCP.
    pub mod net;
}
#[deprecated(note = "x")]
pub fn old() {}
`);

  it('is read from public items with their documentation, not from what is hidden', () => {
    expect(module.items.map((i) => [i.name, i.kind, i.doc, i.deprecated])).toEqual([
      ['Set', 'struct', 'A set of globs', false], ['escape', 'function', 'Escapes', false], ['Sink', 'trait', null, false], ['old', 'function', null, true], ['shout', 'macro', null, false],
    ]);
    expect(module.modules).toEqual([{ name: 'inner', public: false, doc: null }, { name: 'glob', public: true, doc: null }, { name: 'net', public: true, doc: 'TCP' }]);
  });

  it('tells what it passes on, by path', () => {
    expect(module.uses.map((u) => `${u.name} = ${u.path.join('::')}`)).toEqual(['Error = crate::inner::Error', 'ErrorKind = crate::inner::Kind', 'deep = crate::inner::deep', 'Deep = crate::inner::deep::Deep', 'Result = std::io::Result']);
  });

  it('takes a documentation comment for that of the next item over empty lines', () => {
    expect(parseRustModule('/// Prints JSON.\n\n#[derive(Debug)]\npub struct Json;\n\npub struct Other;\n').items.map((i) => i.doc)).toEqual(['Prints JSON', null]);
  });

  it('knows its modules whatever their visibility, and crates that it passes on', () => {
    const { modules, uses } = parseRustModule('pub(crate) mod util;\npub(in crate::a) mod deep;\n#[cfg(feature = "x")]\npub extern crate grep_cli as cli;\npub extern crate plain;\n');
    expect(modules.map((m) => [m.name, m.public])).toEqual([['util', false], ['deep', false]]);
    expect(uses).toEqual([{ path: ['grep_cli'], name: 'cli' }, { path: ['plain'], name: 'plain' }]);
  });

  it('names procedural macros as what they are', () => {
    expect(parseRustModule('#[proc_macro_derive(Serialize, attributes(serde))]\npub fn derive(x: TokenStream) {}\n#[proc_macro_attribute]\npub fn main(a: T) {}').items.map((i) => [i.name, i.kind])).toEqual([['Serialize', 'derive macro'], ['main', 'attribute macro']]);
  });
});

describe('what a Go file gives', () => {
  it('is read from exported types and functions', () => {
    const file = parseGoFile('// Package gin does HTTP.\n//\n// More.\npackage gin\n\n// New returns an engine.\nfunc New() *Engine { return nil }\nfunc (e *Engine) Run() {}\nfunc private() {}\n\n// Engine is the instance.\ntype Engine struct{}\n\ntype (\n\t// Handler handles.\n\tHandler func()\n\tsmall int\n)\n\n// Deprecated: use New.\nfunc Old() {}\nconst text = `\nfunc Inside() {}\n`\n');
    expect(file?.doc).toBe('Package gin does HTTP');
    expect(file?.items.map((i) => [i.name, i.kind, i.doc, i.deprecated])).toEqual([['New', 'function', 'returns an engine', false], ['Old', 'function', 'Deprecated: use New', true], ['Engine', 'struct', 'the instance', false], ['Handler', 'function type', 'handles', false]]);
  });

  it('is read from exported variables and constants', () => {
    const file = parseGoFile('package gin\n\n// Version is told to users.\nconst Version = "1"\n\nvar (\n\tJSON = jsonBinding{}\n\t// Form reads forms.\n\tForm Binding = formBinding{}\n\tsmall = 1\n)\n\nfunc f() {\n\tvar Inside int\n}\n');
    expect(file?.items.map((i) => [i.name, i.kind, i.doc])).toEqual([['Version', 'constant', 'told to users'], ['JSON', 'variable', null], ['Form', 'variable', 'reads forms']]);
  });

  it('is nothing for generated files', () => {
    expect(parseGoFile('// Code generated by protoc. DO NOT EDIT.\npackage x\nfunc A() {}')).toBeNull();
  });
});
