/** Build binaries of published Go modules: a small module of our own that requires them, no checkout of theirs. */
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { output, run } from '../exec.ts'
import { binaryPath, cacheRoot, once } from './cache.ts'
import { moduleDirectory } from './module-dir.ts'
import type { Recipe } from './recipes.ts'

export interface GoBuildOptions {
  readonly go: string
  /** Called with one line for each binary. */
  readonly announce: (line: string) => void
  /** Names of the binaries to build; all of the recipe's without it. */
  readonly only?: readonly string[]
}

/** Build every binary of a recipe that the cache does not have. */
export async function buildRecipe(recipe: Recipe, { go, announce, only }: GoBuildOptions): Promise<void> {
  for (const [name, pkg] of Object.entries(recipe.binaries)) {
    if (only !== undefined && !only.includes(name)) continue
    const path = binaryPath(go, name, recipe.version)
    const started = performance.now()
    const built = await once(path, async () => {
      announce(`build   ${name} ${recipe.version} …`)
      const module = await (recipe.ownModule ? copiedModule(recipe) : prepareModule(recipe, go))
      await compile(recipe, { module, pkg, path })
    })
    if (built) announce(`built   ${name} ${recipe.version}  ${seconds(started)}`)
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}

/** Write and tidy the module that requires the recipe's; done once for all of its binaries. */
async function prepareModule(recipe: Recipe, go: string): Promise<string> {
  const dir = join(cacheRoot, 'modules', go, `${recipe.module.replaceAll('/', '_')}-${recipe.version}`)
  await once(join(dir, 'ready'), async () => {
    const replaces = recipe.staging ? await stagingReplaces(recipe) : []
    const require = `require ${recipe.module} v${recipe.version}`
    const goLine = `go ${go.replace(/^go/, '').split(' ')[0]}`
    await writeFile(join(dir, 'go.mod'), ['module nodewave.example/e2e', goLine, require, ...replaces, ''].join('\n'))
    const imports = Object.values(recipe.binaries).map((pkg) => `import _ "${pkg}"`)
    await writeFile(join(dir, 'tools.go'), ['//go:build tools', 'package tools', ...imports, ''].join('\n'))
    // -e: a program cannot be imported, which tidy reports as an error after having done its work.
    await run('go', ['mod', 'tidy', '-e'], { cwd: dir, env: buildEnvironment(recipe) })
    await writeFile(join(dir, 'ready'), '')
  })
  return dir
}

/** The source of a module, where it may be written: its own go.mod holds, and what it reads when it runs is beside it. */
export async function copiedModule({ module, version }: Pick<Recipe, 'module' | 'version'>): Promise<string> {
  const dir = join(cacheRoot, 'sources', `${module.replaceAll('/', '_')}-${version}`)
  await once(dir, async () => {
    await cp(await moduleDirectory(module, version), `${dir}.partial`, { recursive: true })
    await run('chmod', ['-R', 'u+w', `${dir}.partial`])
    await rename(`${dir}.partial`, dir)
  })
  return dir
}

/** Kubernetes v1.36.3 goes with k8s.io/api v0.36.3 and so on, for every library that its go.mod replaces by a folder. */
async function stagingReplaces(recipe: Recipe): Promise<string[]> {
  const download = await output('go', ['mod', 'download', '-json', `${recipe.module}@v${recipe.version}`])
  const { GoMod } = JSON.parse(download) as { GoMod: string }
  const published = recipe.version.replace(/^1\./, 'v0.')
  const staged = (await readFile(GoMod, 'utf8')).matchAll(/^\s*(?:replace\s+)?(\S+) => \.\/staging\//gm)
  return [...staged].map(([, library]) => `replace ${library} => ${library} ${published}`)
}

async function compile(recipe: Recipe, { module, pkg, path }: { module: string; pkg: string; path: string }): Promise<void> {
  const partial = `${path}.partial`
  await mkdir(dirname(path), { recursive: true })
  const flags = [
    '-mod=mod',
    '-trimpath',
    '-p',
    String(jobs()),
    '-ldflags',
    `-s -w ${recipe.ldflags ?? ''}`,
    '-tags',
    recipe.tags ?? '',
  ]
  try {
    // Lowest priority: a build of minutes must not slow down whatever else the machine does.
    const args = ['-n', '19', 'go', 'build', ...flags, '-o', partial, pkg]
    await run('nice', args, { cwd: module, env: buildEnvironment(recipe) })
    await rename(partial, path)
  } finally {
    await rm(partial, { force: true })
  }
}

/** How many packages are compiled at a time. */
function jobs(): number {
  return Number(process.env.NODEWAVE_E2E_BUILD_JOBS) || availableParallelism()
}

function buildEnvironment(recipe: Recipe): Record<string, string> {
  return { CGO_ENABLED: recipe.cgo ? '1' : '0', GOFLAGS: '', GOWORK: 'off', GOMAXPROCS: String(jobs()) }
}
