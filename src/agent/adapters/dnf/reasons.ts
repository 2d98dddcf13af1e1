import { packageKey } from '../rpm/package-key.ts'

/** Pure: packages that came because others need them, as `dnf repoquery` prints them in lines `NAME ARCHITECTURE REASON`. */
export function reasonsOfQuery(output: string): ReadonlySet<string> {
  const lines = output.split('\n').map((line) => line.split(' '))
  return new Set(
    lines.flatMap(([name = '', architecture = '', reason]) =>
      reason === 'dependency' || reason === 'weak-dependency' ? [packageKey({ name, architecture })] : [],
    ),
  )
}

/** Pure: the same of packages.toml, in which dnf 5 keeps them: `"lib.x86_64" = {reason = "Dependency"}`. */
export function reasonsOfState(text: string): ReadonlySet<string> {
  const found = text.matchAll(/^"(.+)\.([^."]+)"\s*=\s*\{\s*reason\s*=\s*"(?:Weak )?Dependency"/gm)
  return new Set([...found].map(([, name = '', architecture = '']) => packageKey({ name, architecture })))
}
