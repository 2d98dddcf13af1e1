/** The documentation as a site: README.md and docs/ as they are. A link that leads nowhere ends the build. */
import { cpSync, existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { defineConfig } from 'vitepress'

const root = join(import.meta.dirname, '../..')
/** Where files that are no pages can be read, such as manifests; the workflow sets it to the commit that it publishes. */
const SOURCE = process.env.NODEWAVE_SOURCE_URL ?? 'https://www.npmjs.com/package/nodewave?activeTab=code#'
/** Copies: what a page imports is looked for in the folders above it, and the packages of the site are in its own. */
const pages = join(import.meta.dirname, '../pages')
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']

rmSync(pages, { recursive: true, force: true })
for (const path of [...PAGES, 'docs']) cpSync(join(root, path), join(pages, path), { recursive: true })

export default defineConfig({
  title: 'nodewave',
  description: 'GitOps for the machines under Kubernetes',
  base: process.env.NODEWAVE_SITE_BASE ?? '/',
  srcDir: 'pages',
  rewrites: { 'README.md': 'index.md', 'docs/decisions/README.md': 'docs/decisions/index.md' },
  outDir: '../dist-site',
  ignoreDeadLinks: 'localhostLinks',
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      { text: 'Start', items: ['README.md', 'docs/adopt.md', 'docs/install.md'].map(entry) },
      { text: 'All pages', items: globSync('docs/*.md', { cwd: root }).sort().map(entry) },
      { text: 'Forges', items: globSync('docs/forges/*.md', { cwd: root }).sort().map(entry) },
      { text: 'Decisions', items: globSync('docs/decisions/*.md', { cwd: root }).sort().map(entry) },
      { text: 'Project', items: ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].map(entry) },
    ],
  },
  // The text is no program: {{ node.name }} and <name> stand in it as they are.
  vue: { template: { compilerOptions: { delimiters: ['{\u0000', '\u0000}'] } } },
  markdown: { html: false, config: (markdown) => void markdown.core.ruler.push('links-to-files', (state) => linkFiles(state)) },
})

interface State {
  readonly env: { readonly relativePath?: string }
  readonly tokens: readonly Token[]
}

interface Token {
  readonly type: string
  readonly children: readonly Token[] | null
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}

function entry(path: string): { text: string; link: string } {
  const [, title = basename(path)] = /^# (.*)$/m.exec(readFileSync(join(root, path), 'utf8')) ?? []
  return { text: title.replaceAll('`', ''), link: `/${path.replace(/README\.md$/, '').replace(/\.md$/, '')}` }
}

/** A link to a file that is no page leads to the source; one to a file that is not there ends the build. */
function linkFiles({ env, tokens }: State): void {
  const page = env.relativePath ?? ''
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const [target = ''] = token.attrGet('href')?.split('#') ?? []
    if (token.type !== 'link_open' || target === '' || /^[a-z]+:/.test(target)) continue
    const path = relative(root, join(root, dirname(page), target))
    if (!existsSync(join(root, path))) throw new Error(`${page} links to "${target}", which is not there`)
    if (!isPage(path)) token.attrSet('href', `${SOURCE}/${path}`)
  }
}

function isPage(path: string): boolean {
  return PAGES.includes(path) || (path.startsWith('docs/') && path.endsWith('.md'))
}
