"""Traditional Chinese characters to simplified ones: those that occur in what the rules look for."""

from __future__ import annotations

_PAIRS = """
    們们 嗎吗 麼么 誰谁 裡里 裏里 幾几 點点 號号 歲岁 樓楼 時时 間间 長长 遠远 樣样 樹树 為为 記记 憶忆 錄录 錯错 別别
    對对 請请 問问 題题 幫帮 寫写 畫画 詩诗 講讲 話话 說说 聽听 見见 嘗尝 買买 賣卖 訂订 電电 腦脑 氣气 謝谢 會会 開开
    關关 設设 鬧闹 鐘钟 計计 劃划 愛爱 歡欢 討讨 厭厌 這这 個个 還还 沒没 條条 隻只 鄉乡 國国 學学 習习 歷历 後后 來来
    從从 現现 並并 過过 聞闻 網网 頁页 節节 樂乐 給给 業业 務务 總总 結结 單单 購购 臺台 灣湾 讓让 覺觉 應应 該该 頭头
    筆笔 備备 註注 檔档 當当 麗丽 壞坏 舊旧 親亲 爺爷 媽妈 師师 醫医 術术 館馆 廳厅 飯饭 雞鸡 魚鱼 藥药 鑰钥 鎖锁 門门
    禮礼 貴贵 錢钱 賬账 戶户 碼码 簡简 潔洁 復复 覆复 論论 無无 與与 實实 際际 決决 換换 語语 種种 詞词 稱称 簽签 證证
    護护 麵面 飛飞 機机 場场 車车 輛辆 約约 臨临 難难 採采 須须 邊边 讀读 啟启 動动 裝装 載载 燈灯 調调 頻频 輕轻 鬆松
    傳传 遞递 屬属 於于 離离
"""

SIMPLIFIED = {pair[0]: pair[1] for pair in _PAIRS.split()}
"""Traditional character to simplified."""
