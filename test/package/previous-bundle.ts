/** Agents of the two releases before, built from the history of the repository. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { bundleAgent } from '../../scripts/bundle-agent.ts'

/** Raised with each release: that of the one before becomes that of the second one before. */
const PREVIOUS = 'ad397ea853ad6a50b285e4daba954b9dc8b7100f'
const SECOND_BEFORE = 'aa3194abb8f937c5a54b533f42e97e8793a951c1'
const HOME = join(import.meta.dirname, '../..')

const git = (args: readonly string[], more: { readonly stdio?: 'ignore' } = {}) =>
  execFileSync('git', ['-C', HOME, ...args], { maxBuffer: 256 * 1024 * 1024, ...more })

/** A clone of the newest commit alone does not have them. */
export function hasHistory(): boolean {
  try {
    for (const commit of [PREVIOUS, SECOND_BEFORE]) git(['cat-file', '-e', `${commit}^{commit}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** @param folder gets the sources of that release, too @returns path of the bundle */
export function previousBundle(folder: string): Promise<string> {
  return bundleOf(PREVIOUS, join(folder, 'previous'))
}

export function secondBundleBefore(folder: string): Promise<string> {
  return bundleOf(SECOND_BEFORE, join(folder, 'second-before'))
}

async function bundleOf(commit: string, tree: string): Promise<string> {
  mkdirSync(tree)
  execFileSync('tar', ['x', '-C', tree], { input: git(['archive', commit, 'src', 'scripts', 'package.json', 'tsconfig.json']) })
  symlinkSync(join(HOME, 'node_modules'), join(tree, 'node_modules'))
  const old: { bundleAgent: typeof bundleAgent } = await import(pathToFileURL(join(tree, 'scripts/bundle-agent.ts')).href)
  return old.bundleAgent(tree)
}
