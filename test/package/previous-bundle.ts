/** The agent of the release before, built from the history of the repository. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { bundleAgent } from '../../scripts/bundle-agent.ts'

/** Raised with each release. */
const PREVIOUS = 'ad397ea853ad6a50b285e4daba954b9dc8b7100f'
const HOME = join(import.meta.dirname, '../..')

const git = (args: readonly string[], more: { readonly stdio?: 'ignore' } = {}) =>
  execFileSync('git', ['-C', HOME, ...args], { maxBuffer: 256 * 1024 * 1024, ...more })

/** A clone of the newest commit alone does not have it. */
export function hasHistory(): boolean {
  try {
    git(['cat-file', '-e', `${PREVIOUS}^{commit}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** @param folder gets the sources of that release, too @returns path of the bundle */
export async function previousBundle(folder: string): Promise<string> {
  const tree = join(folder, 'previous')
  mkdirSync(tree)
  execFileSync('tar', ['x', '-C', tree], { input: git(['archive', PREVIOUS, 'src', 'scripts', 'package.json', 'tsconfig.json']) })
  symlinkSync(join(HOME, 'node_modules'), join(tree, 'node_modules'))
  const old: { bundleAgent: typeof bundleAgent } = await import(pathToFileURL(join(tree, 'scripts/bundle-agent.ts')).href)
  return old.bundleAgent(tree)
}
