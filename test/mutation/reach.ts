import { dirname, join } from 'node:path'

/** The files that each file imports. */
export type Imports = ReadonlyMap<string, readonly string[]>

const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g

export function importsOf(path: string, source: string): readonly string[] {
  return [...source.matchAll(IMPORT)].map(([, target = '']) => join(dirname(path), target))
}

/** The tests that import a file, themselves (1) or through others (2 and more), the nearest first. */
export function testsReaching(path: string, imports: Imports): ReadonlyMap<string, number> {
  const steps = new Map([[path, 0]])
  for (const [reached, step] of steps) {
    for (const [file, targets] of imports) {
      if (targets.includes(reached) && !steps.has(file)) steps.set(file, step + 1)
    }
  }
  return new Map([...steps].filter(([file]) => file.endsWith('.test.ts')))
}

/** A file and all that it imports, itself or through others. */
export function importedBy(path: string, imports: Imports): readonly string[] {
  const found = new Set([path])
  for (const each of found) for (const target of imports.get(each) ?? []) found.add(target)
  return [...found].filter((each) => imports.has(each)).sort()
}

interface Suites {
  /** Folders of tests that take minutes, run one by one when all others have passed. */
  readonly slow: readonly string[]
  /** A single test file that takes long, run after the short ones. */
  readonly isLong: (test: string) => boolean
}

/**
 * What is run until a test fails, each step only if all before have passed: the tests that import the file, those of its subfolder,
 * those of its folder, the long ones of these, and the slow suites. A step may have none.
 */
export function stagesFor(path: string, imports: Imports, { slow, isLong }: Suites): readonly (readonly string[])[] {
  const reaching = testsReaching(path, imports)
  const quick = [...reaching.keys()].filter((test) => !slow.some((suite) => test.startsWith(`${suite}/`)))
  const near = quick.filter((test) => reaching.get(test) === 1)
  const [, folder = ''] = path.split('/')
  const beside = quick.filter((test) => test.startsWith(`test/${dirname(path).slice('src/'.length)}/`))
  const others = quick.filter((test) => test.startsWith(`test/${folder}/`))
  const suites = slow.map((suite) => [...reaching.keys()].filter((test) => test.startsWith(`${suite}/`)))
  const short = [near, beside, others].map((tests) => tests.filter((test) => !isLong(test)))
  const all = [...short, [...near, ...others], ...suites]
  return all.map((tests, index) => without(tests, all.slice(0, index).flat()))
}

function without(tests: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set(tests)].filter((test) => !others.includes(test))
}
