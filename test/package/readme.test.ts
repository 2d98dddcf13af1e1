import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...(await readdir(join(ROOT, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const texts = new Map(await Promise.all(pages.map(async (page) => [page, await readFile(join(ROOT, page), 'utf8')] as const)))

test('the README links every page of the documentation, by itself or by the README of its folder', () => {
  const unlinked = pages.filter((page) => page.startsWith('docs/') && !isLinked('README.md', page) && !isLinkedInFolder(page))
  expect(unlinked).toEqual([])
})

function isLinked(from: string, page: string): boolean {
  return texts.get(from)?.includes(`](${relative(dirname(from), page)})`) ?? false
}

function isLinkedInFolder(page: string): boolean {
  const index = join(dirname(page), 'README.md')
  return isLinked('README.md', index) && isLinked(index, page)
}

test('links between pages lead to pages and headings that there are', () => {
  const broken = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/\]\(([^)\s:]*\.md)?(?:#([a-z0-9-]+))?\)/g)]
      .filter(([, path = '', heading]) => !leads(path === '' ? page : join(page, '..', path), heading))
      .map(([link]) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
})

test('pictures of pages are there, each with a text for those who do not see it', () => {
  const pictures = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)].map(([link, alt = '', path = '']) => ({ page, link, alt, path })),
  )
  const broken = pictures.filter(({ page, alt, path }) => alt === '' || !existsSync(join(ROOT, page, '..', path)))

  expect(pictures.filter(({ page }) => page === 'README.md').map(({ path }) => path)).toEqual([
    'docs/pictures/demo.svg',
    'docs/pictures/dashboard.png',
    'docs/pull-requests.png',
  ])
  expect(broken.map(({ page, link }) => `${page}: ${link}`)).toEqual([])
})

function leads(page: string, heading: string | undefined): boolean {
  const text = texts.get(page)
  if (text === undefined) return page.startsWith('examples/')
  return heading === undefined || [...text.matchAll(/^#+ (.*)$/gm)].some(([, title = '']) => anchorOf(title) === heading)
}

/** As forges make them. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')
}
