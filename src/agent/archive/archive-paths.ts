/** Longer than the paths of any program; the kernel takes no more than 4096. */
const LONGEST = 1024

/**
 * Where a member goes, relative to the directory that the archive is unpacked into.
 * @param strip how many of the first parts of its path are left out
 * @returns undefined when nothing of the path is left
 * @throws {Error} when it leads out of the directory
 */
export function placeOf(path: string, strip: number): string | undefined {
  if (path.startsWith('/')) throw new Error(`"${shown(path)}" is an absolute path`)
  if (path.length > LONGEST) throw new Error(`"${shown(path)}" is longer than ${LONGEST} characters`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\x00-\x1f\x7f]/.test(path)) throw new Error(`"${shown(path)}" has control characters in it`)
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw new Error(`"${shown(path)}" has ".." in it`)
  const left = parts.slice(strip)
  return left.length === 0 ? undefined : left.join('/')
}

/** @throws {Error} when a symbolic link at `place` leads out of the directory */
export function checkTarget(place: string, target: string): void {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  const ups = parts.findIndex((part) => part !== '..')
  const depth = place.split('/').length - 1
  // After another name ".." would lead up from wherever that name is a link to.
  const isInside = ups >= 0 && ups <= depth && !parts.slice(ups).includes('..')
  if (target.startsWith('/') || !isInside)
    throw new Error(`"${shown(place)}" is a link to "${shown(target)}", which is not in the archive's directory`)
}

/** @throws {Error} when one member would stand below another that is no directory */
export function checkNesting(places: readonly string[]): void {
  const all = new Set(places)
  for (const place of places) {
    const parts = place.split('/')
    for (let length = 1; length < parts.length; length++) {
      const above = parts.slice(0, length).join('/')
      if (all.has(above)) throw new Error(`"${shown(place)}" stands below "${shown(above)}", which is no directory`)
    }
  }
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 200)).slice(1, -1)
}
