/** Find binaries in the cache, after building those that it does not have. */
import { binaryPath, goVersion } from './cache.ts'
import { buildRecipe } from './go-build.ts'
import { recipes } from './recipes.ts'

export type FindBinary = (name: string, version?: string) => string

/** Build the named binaries (all versions of each), or everything; gives where they are. */
export async function buildBinaries(names: readonly string[] | 'all', announce: (line: string) => void): Promise<FindBinary> {
  const go = await goVersion()
  for (const recipe of recipes) {
    const wanted = Object.entries(recipe.binaries).filter(([name]) =>
      names === 'all' ? !recipe.onlyByName : names.includes(name),
    )
    await buildRecipe(recipe, { go, announce, only: wanted.map(([name]) => name) })
  }
  return (name, version) => {
    const recipe = recipes.find((candidate) => name in candidate.binaries && (version ?? candidate.version) === candidate.version)
    if (recipe === undefined) throw new Error(`find binary "${name}" ${version ?? ''}: no recipe makes it`)
    return binaryPath(go, name, recipe.version)
  }
}
