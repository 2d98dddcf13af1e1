import { didYouMean } from '../suggest.ts'
import { knowledgeOf, ROOT_TYPE } from './knowledge.ts'

/** What to do about a key among flags that is no name of a flag: `--v`, `maxPods`, `max_pods`. */
export function remedyForKey(key: string): string | undefined {
  const { flags, fields } = knowledgeOf(undefined)
  const name = flagName(key)
  if (flags.has(name)) return `write  ${name}`
  if (fields.get(ROOT_TYPE)?.has(key)) return 'it is a field of the configuration: write it into a KubeletConfig'
  return didYouMean(name, flags.keys())
}

/** `maxPods` and `--max_pods` are `max-pods`. */
function flagName(key: string): string {
  return key
    .replace(/^-+/, '')
    .replaceAll('_', '-')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
}
