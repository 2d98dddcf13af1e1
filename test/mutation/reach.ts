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

/** What is run until a test fails: the tests that import the file, the others of its folder, and the slow suites one by one. */
export function stagesFor(path: string, imports: Imports, slow: readonly string[]): readonly (readonly string[])[] {
  const reaching = testsReaching(path, imports)
  const [, folder = ''] = path.split('/')
  const quick = [...reaching.keys()].filter((test) => !slow.some((suite) => test.startsWith(`${suite}/`)))
  const near = quick.filter((test) => reaching.get(test) === 1)
  const others = quick.filter((test) => !near.includes(test) && test.startsWith(`test/${folder}/`))
  const suites = slow.map((suite) => [...reaching.keys()].filter((test) => test.startsWith(`${suite}/`)))
  return [near, others, ...suites].filter((tests) => tests.length > 0)
}
