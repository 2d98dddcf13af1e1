/** What a shell sources: each asks `nodewave __complete WORDS…`, which answers as the commands of Kubernetes do. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type CompletionTarget = (typeof SHELLS)[number]

export const completionScripts: Readonly<Record<CompletionTarget, string>> = {
  bash: `# nodewave completion for bash: source <(nodewave completion bash)
_nodewave() {
  local line directive words=()
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :* ]]; then directive=\${line#:}; else words+=("\${line%%$'\\t'*}"); fi
  done < <(nodewave __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("\${words[@]}")
  if [[ $directive == 0 && \${#words[@]} == 0 ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _nodewave nodewave
`,
  zsh: `#compdef nodewave
# nodewave completion for zsh: source <(nodewave completion zsh)
_nodewave() {
  local line directive
  local -a found
  while IFS= read -r line; do
    if [[ $line == :* ]]; then directive=\${line#:}; else found+=("\${\${line//:/\\\\:}/$'\\t'/:}"); fi
  done < <(nodewave __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe nodewave found; elif [[ $directive == 0 ]]; then compset -P '--*='; _files; fi
}
if [[ $funcstack[1] == _nodewave ]]; then _nodewave "$@"; else compdef _nodewave nodewave; fi
`,
  fish: `# nodewave completion for fish: nodewave completion fish | source
function __nodewave_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l lines (nodewave __complete $words[2..-1] 2>/dev/null)
  set -l found (string match -v ':*' -- $lines)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else if contains -- ':0' $lines
    set -l option (string match -r -- '^--[^=]+=' (commandline -ct)); or set option ''
    printf '%s\\n' $option(__fish_complete_path (string replace -r -- '^--[^=]+=' '' (commandline -ct)))
  end
end
complete -c nodewave -f -a '(__nodewave_complete)'
`,
}
