/** Files that a page of the documentation shows: blocks of YAML and TOML whose first line names their path in a comment. */
export function pageFiles(markdown: string): Readonly<Record<string, string>> {
  const blocks = [...markdown.matchAll(/^```(?:yaml|toml)\n# (\S+\.(?:yaml|toml))\n([\s\S]*?)^```$/gm)]
  const files = blocks.map(([, path = '', text = '']): [string, string] => [path, text])
  const repeated = files.find(([path], index) => files.findIndex(([other]) => other === path) !== index)
  if (repeated !== undefined) throw new Error(`the page shows "${repeated[0]}" twice`)
  return Object.fromEntries(files)
}

/** The page's edit of one of its files: a block of `diff` that names the path, with one line for another. */
export function pageEdit(markdown: string): { readonly path: string; readonly before: string; readonly after: string } {
  const [, path, before, after] = /^```diff\n# (\S+)\n-(.*)\n\+(.*)\n```$/m.exec(markdown) ?? []
  if (path === undefined || before === undefined || after === undefined) throw new Error('the page shows no edit')
  return { path, before, after }
}
