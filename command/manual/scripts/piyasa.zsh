#compdef piyasa
# The completion of piyasa for zsh: piyasa completion zsh > /usr/share/zsh/vendor-completions/_piyasa
_piyasa() {
  local line word
  local -a described
  for line in "${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      ('') ;;
      (:files) [[ ${words[CURRENT]} == --*=* ]] && compset -P '*='; _files ;;
      (:folders) [[ ${words[CURRENT]} == --*=* ]] && compset -P '*='; _files -/ ;;
      (*) word=${line%%$'\t'*}; described+=("${word//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( $#described )) && _describe -V piyasa described
}
if [[ $funcstack[1] == _piyasa ]]; then
  _piyasa "$@"
else
  compdef _piyasa piyasa
fi
