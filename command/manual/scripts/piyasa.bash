# The completion of piyasa for bash: piyasa completion bash > /usr/share/bash-completion/completions/piyasa
_piyasa() {
  local current=${COMP_WORDS[COMP_CWORD]} line word before= equals=
  # Words that bash takes apart at colons are put together again.
  local -a words=()
  local i joins=
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == : || $joins ]] && ((${#words[@]})); then
      words[-1]+=$word
    else
      words+=("$word")
    fi
    joins=; [[ $word == : ]] && joins=1
  done
  [[ ${words[-1]} == *:* ]] && before=${words[-1]%:*}:
  # What stands before an equals sign or a colon is a word of its own to bash.
  [[ ${words[-1]} == = || ${words[-2]-} == = ]] && equals=1
  [[ $current == [=:] ]] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o filenames; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current") ;;
      :folders) compopt -o filenames; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$current") ;;
      *) word=${line%%$'\t'*}
        [[ $equals ]] && word=${word#*=}
        COMPREPLY+=("${word#"$before"}") ;;
    esac
  done < <("${COMP_WORDS[0]}" complete -- "${words[@]}" 2>/dev/null)
}
complete -F _piyasa piyasa
